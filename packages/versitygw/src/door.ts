import { once } from 'node:events'
import { breakCutUploads } from './break-cut-uploads.ts'

/** `versitygw-door PORT HOST:PORT`: listens on PORT, in front of versitygw at HOST:PORT. */
const [listen = '', upstream = ''] = process.argv.slice(2)
const [, host, port] = /^(.+):(\d+)$/.exec(upstream) ?? []
if (!/^\d+$/.test(listen) || host === undefined) {
  process.stderr.write('Usage: versitygw-door PORT HOST:PORT\n')
  process.exit(2)
}
await using _door = await breakCutUploads({
  host: '0.0.0.0',
  port: Number(listen),
  upstreamHost: host,
  upstreamPort: Number(port),
})
process.stdout.write(`versitygw-door: port ${listen} leads to ${upstream}\n`)
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
