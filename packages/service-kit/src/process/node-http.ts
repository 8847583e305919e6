/** Importing names from `node:http` would load Node's own undici, which takes 50 ms of every start. */
export const http = process.getBuiltinModule('node:http')
