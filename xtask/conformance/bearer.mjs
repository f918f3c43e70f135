// Preloaded into the conformance suite, which has no option for request headers: adds the server's
// token to everything the suite sends. The suite speaks HTTP in three ways (fetch, node:http and
// its own undici), so this file must lie next to the suite's node_modules.

import http from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const token = process.env.OPENSPACE_CONFORMANCE_TOKEN;
if (!token) throw new Error('OPENSPACE_CONFORMANCE_TOKEN is not set');
const authorization = `Bearer ${token}`;

const plainFetch = globalThis.fetch;
globalThis.fetch = (resource, options) => {
  const request = new Request(resource, options);
  request.headers.set('authorization', authorization);
  return plainFetch(request);
};

const plainHttpRequest = http.request;
http.request = (...parameters) => {
  const request = plainHttpRequest(...parameters);
  request.setHeader('authorization', authorization);
  return request;
};
syncBuiltinESMExports();

const undici = createRequire(import.meta.url)('undici');
const plainUndiciRequest = undici.request;
undici.request = (url, options = {}) =>
  plainUndiciRequest(url, { ...options, headers: { ...options.headers, authorization } });
