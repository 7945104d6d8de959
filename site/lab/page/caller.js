// Calls the core: a request as an object, the answer as text. Used by the worker and by the tests.
export function caller(core) {
  return (request) => {
    const text = JSON.stringify(request);
    const size = core.lengthBytesUTF8(text) + 1;
    const place = core._malloc(size);
    core.stringToUTF8(text, place, size);
    const answer = core.UTF8ToString(core._freegap_ask(place));
    core._free(place);
    return answer;
  };
}
