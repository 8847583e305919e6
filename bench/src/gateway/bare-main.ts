import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Pool } from 'undici'

/** Node's HTTP server before undici's cheapest call, and nothing else: what a gateway on these two costs at least. */
const [port, upstream = ''] = process.argv.slice(2)
const pool = new Pool(upstream, { connections: 1024, pipelining: 1 })
createServer({ optimizeEmptyRequests: true }, (request, response) => {
  let answered: IncomingHttpHeaders
  pool.dispatch(
    { method: 'GET', path: request.url ?? '/', headers: request.headers, reset: false },
    {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        answered = headers
        response.writeHead(status, headers)
      },
      onResponseData(_controller, chunk) {
        if (String(chunk.length) === answered['content-length']) response.end(chunk.toString('latin1'), 'latin1')
        else response.write(chunk)
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  )
}).listen(Number(port), '127.0.0.1')
