BEGIN TRANSACTION;
CREATE TABLE event(
  sequence INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  dataset TEXT,
  total TEXT,
  unit TEXT,
  neighbours TEXT,
  entry INTEGER,
  time INTEGER,
  who TEXT,
  verb TEXT,
  parameters TEXT,
  reserved TEXT,
  spent TEXT,
  release TEXT,
  hash TEXT NOT NULL
, details TEXT) STRICT;
INSERT INTO event VALUES(1,'dataset','shop','3','transaction','add-remove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'7a1c206bcaa1d9ba7b4659458aa27867e3350c519fbb5d33a10a082d47442430',NULL);
INSERT INTO event VALUES(2,'dataset','calls','1','customer','replace',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'9edd2bf6f14822baccaff61f72a0fc3d3a0416a5cb5b719a49f9ef4510bafa4d','customer_id');
INSERT INTO event VALUES(3,'reserve','shop',NULL,NULL,NULL,1,1794962159,'root','top','{"k":1,"noise":"exponential","kind":"counts","sensitivity":1,"neighbours":"add-remove","monotone":true,"unit":"transaction","candidates":"universe","candidate_count":10,"universe":[0,9],"measure":"1/2","estimator":"likelihood","confidence":0.95,"classic":false}','3/10',NULL,NULL,'59a4cdba9374e710211e4c846d0b27b0b6d615dac4ec3f14e1d070dace582a12','{"input":"s.dat","universe":"0..9","options":{"--dataset":["shop"],"--epsilon":["0.3"],"--ledger":["f2.db"],"--note":["for the board"],"--universe":["0..9"],"-k":["1"],"INPUT":["s.dat"]},"freegap":"0.1.0","commit":"0e2cadcc913a","note":"for the board"}');
INSERT INTO event VALUES(4,'settle',NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,'3/10','{"freegap":"0.1.0","mechanism":"top_k","parameters":{"k":1,"noise":"exponential","kind":"counts","sensitivity":1,"neighbours":"add-remove","monotone":true,"unit":"transaction","candidates":"universe","candidate_count":10,"universe":[0,9],"measure":"1/2","estimator":"likelihood","confidence":0.95,"classic":false},"epsilon":{"reserved":"3/10","spent":"3/10","selection":"3/20","measurement":"3/20"},"measurement":{"law":"laplace","scale":6.666666666666667,"tick":0.0078125},"noise":{"law":"exponential","scale":6.666666666666667,"tick":0.0078125},"winners":[{"rank":1,"item":"7","gap":0.0390625,"gap_ticks":5,"measured":0.6875,"estimate":0.6875,"standard_error":9.428089876340994,"interval":[-19.291860991283897,20.666860991283897],"interval_low":-19.291860991283897,"interval_high":20.666860991283897,"simultaneous":[-19.291860991283897,20.666860991283897],"simultaneous_low":-19.291860991283897,"simultaneous_high":20.666860991283897,"used_gap":false,"lead_at_least":null,"p_not_ahead":0.9941577576591378}]}','03aa3369e5abb7c5feceb093d6f8e0943b1d0df5e17b9a053c57753de4457447',NULL);
INSERT INTO event VALUES(5,'reserve','shop',NULL,NULL,NULL,2,1794962159,'root','above','{"k":2,"noise":"exponential","kind":"general","sensitivity":1,"neighbours":"add-remove","monotone":false,"threshold":3,"adaptive":false,"stop_rule":"afford","stop_after":null,"classic":false,"order":"as asked","estimator":"likelihood","confidence":0.95,"limit":68719476736,"unit":"transaction"}','1/5',NULL,NULL,'258687c15c972f1b21f9191960302f3e87c9f87375cc07d4b1446429cd3778a6','{"input":"-","options":{"--dataset":["shop"],"--epsilon":["1/5"],"--kind":["general"],"--ledger":["f2.db"],"--sensitivity":["1"],"--threshold":["3"],"-k":["2"],"INPUT":["-"]},"freegap":"0.1.0","commit":"0e2cadcc913a"}');
INSERT INTO event VALUES(6,'rename','calls',NULL,NULL,NULL,NULL,1794962161,'root',NULL,NULL,NULL,NULL,NULL,'d8498c73ece83800a32bb10828f046ff384978599ce4a3424651afce32afa628','phones');
INSERT INTO event VALUES(7,'close','phones',NULL,NULL,NULL,NULL,1794962161,'root',NULL,NULL,NULL,NULL,NULL,'04b72e3eeaec33bfec6c219c3b53bc6c40ede0a1dd6adac8639cc66502ed41b9',NULL);
CREATE TABLE head(
  id INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO head VALUES(1,7,'04b72e3eeaec33bfec6c219c3b53bc6c40ede0a1dd6adac8639cc66502ed41b9');
COMMIT;
