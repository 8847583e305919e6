import { connect, createServer } from 'node:net'

/** Forwards a local port: `rule` is `PORT=HOST:PORT`. Does not keep the process running. */
export async function forward(rule: string): Promise<void> {
  const [, port, host, to] = /^(\d+)=(.+):(\d+)$/.exec(rule) ?? []
  if (host === undefined) throw new Error(`FORWARD: "${rule}" does not have the form PORT=HOST:PORT.`)
  const server = createServer((socket) => {
    const upstream = connect(Number(to), host)
    socket.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.on('error', () => socket.destroy()).pipe(socket)
    for (const end of [socket, upstream]) end.unref()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), '127.0.0.1', resolve)
  })
  server.unref()
}
