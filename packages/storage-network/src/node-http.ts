// An import reads each name of node:http, WebSocket among them, for which Node loads all of its own undici at every start.
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
