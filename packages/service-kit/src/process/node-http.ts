/**
 * `node:http`. An import reads each of its names, WebSocket among them, for which Node loads all of its own undici: 50 ms
 * of every start.
 */
export const http = process.getBuiltinModule('node:http')
