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
) STRICT;
INSERT INTO event VALUES(1,'dataset','shop','3','transaction','add-remove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'7a1c206bcaa1d9ba7b4659458aa27867e3350c519fbb5d33a10a082d47442430');
INSERT INTO event VALUES(2,'reserve','shop',NULL,NULL,NULL,1,1794856738,'root','top','{"k":1,"noise":"exponential","kind":"counts","sensitivity":1,"neighbours":"add-remove","monotone":true,"unit":"transaction","candidates":"universe","candidate_count":10,"universe":[0,9],"measure":"1/2","confidence":0.95,"classic":false}','3/10',NULL,NULL,'77c0c7224468d77c3889303fbe48223c51046442bdb7d5b242c25736d7e8b02a');
INSERT INTO event VALUES(3,'settle',NULL,NULL,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,'3/10','{"freegap":"0.1.0","mechanism":"top_k","parameters":{"k":1,"noise":"exponential","kind":"counts","sensitivity":1,"neighbours":"add-remove","monotone":true,"unit":"transaction","candidates":"universe","candidate_count":10,"universe":[0,9],"measure":"1/2","confidence":0.95,"classic":false},"epsilon":{"reserved":"3/10","spent":"3/10","selection":"3/20","measurement":"3/20"},"measurement":{"law":"laplace","scale":6.666666666666667,"tick":0.0078125},"noise":{"law":"exponential","scale":6.666666666666667,"tick":0.0078125},"winners":[{"rank":1,"item":"7","gap":7.2265625,"gap_ticks":925,"measured":1.375,"estimate":1.375,"standard_error":9.428089876340994,"interval":[-18.604360991283897,21.354360991283897],"simultaneous":[-18.604360991283897,21.354360991283897],"lead_at_least":null,"p_not_ahead":0.33824514172688175}]}','7b09a5dafce664cda04867929df649f1d5953cc85cb5dc931b5983681e4b0d27');
INSERT INTO event VALUES(4,'reserve','shop',NULL,NULL,NULL,2,1794856738,'root','top','{"k":1,"noise":"exponential","kind":"counts","sensitivity":1,"neighbours":"add-remove","monotone":true,"unit":"transaction","candidates":"universe","candidate_count":10,"universe":[0,9],"measure":"1/2","confidence":0.95,"classic":false}','3/10',NULL,NULL,'547aa8e9d58cc97084f18c9ff56c0a64be95d404b4c19b6c2ba529118bf2e0b9');
INSERT INTO event VALUES(5,'settle',NULL,NULL,NULL,NULL,2,NULL,NULL,NULL,NULL,NULL,'3/10','{"freegap":"0.1.0","mechanism":"top_k","parameters":{"k":1,"noise":"exponential","kind":"counts","sensitivity":1,"neighbours":"add-remove","monotone":true,"unit":"transaction","candidates":"universe","candidate_count":10,"universe":[0,9],"measure":"1/2","confidence":0.95,"classic":false},"epsilon":{"reserved":"3/10","spent":"3/10","selection":"3/20","measurement":"3/20"},"measurement":{"law":"laplace","scale":6.666666666666667,"tick":0.0078125},"noise":{"law":"exponential","scale":6.666666666666667,"tick":0.0078125},"winners":[{"rank":1,"item":"4","gap":7.1796875,"gap_ticks":919,"measured":26.6015625,"estimate":26.6015625,"standard_error":9.428089876340994,"interval":[6.622201508716103,46.5809234912839],"simultaneous":[6.622201508716103,46.5809234912839],"lead_at_least":null,"p_not_ahead":0.3406318086728742}]}','eb03a65e00bb82360283f850fe52ea0e09103ab4f8745aac1e76e0a791a67441');
INSERT INTO event VALUES(6,'reserve','shop',NULL,NULL,NULL,3,1794856738,'root','above','{"k":2,"noise":"exponential","kind":"general","sensitivity":1,"neighbours":"add-remove","monotone":false,"unit":"transaction","threshold":3,"adaptive":false,"stop_rule":"afford","stop_after":null,"classic":false,"order":"as asked","confidence":0.95}','1/3',NULL,NULL,'440a8b2d962b7556a1584a59c1b26750baa958e51d0e4c999e6d8c58500e06cc');
INSERT INTO event VALUES(7,'settle',NULL,NULL,NULL,NULL,3,NULL,NULL,NULL,NULL,NULL,'0','{"freegap":"0.1.0","mechanism":"sparse_vector","parameters":{"k":2,"noise":"exponential","kind":"general","sensitivity":1,"neighbours":"add-remove","monotone":false,"unit":"transaction","threshold":3,"adaptive":false,"stop_rule":"afford","stop_after":null,"classic":false,"order":"as asked","confidence":0.95},"epsilon":{"reserved":"1/3","spent":"0"},"noise":{"law":"exponential","tick":0.0078125},"theta":"35513/125000","threshold":{"asked":3,"used":3,"epsilon":"35513/375000","scale":10.559513417621716},"branches":[{"branch":1,"epsilon":"29829/250000","scale":16.762211270910857,"offset_ticks":794,"cut_ticks":0}],"stop_rule":"afford","answers":[],"stopped":"input"}','d621f65f5a8e27c3c8ee25ff0739fd014fcf98ec35390705566ec246a70cb8af');
INSERT INTO event VALUES(8,'reserve','shop',NULL,NULL,NULL,4,1794858548,'root','above','{"k":2,"noise":"exponential","kind":"general","sensitivity":1,"neighbours":"add-remove","monotone":false,"unit":"transaction","threshold":3,"adaptive":false,"stop_rule":"afford","stop_after":null,"classic":false,"order":"as asked","confidence":0.95}','1/5',NULL,NULL,'74e4707c3af41ed7665ffce82c14541afc0c320d0df36ed0896aadb0200d49fb');
CREATE TABLE head(
  id INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO head VALUES(1,8,'74e4707c3af41ed7665ffce82c14541afc0c320d0df36ed0896aadb0200d49fb');
COMMIT;
