/** Importing its names loads Node's own undici: 50 ms of every start. */
export const http = process.getBuiltinModule('node:http')
