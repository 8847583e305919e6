import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startDevnet } from './start-devnet.ts'

const usage =
  'Usage: walrus-devnet --data DIR [--host HOST] [--port N] [--admin-port N] [--shards N] [--epoch-seconds N] [--max-body-bytes N] [--jwt-secret-file FILE] [--jwt-seconds N]\n'
const text = { type: 'string' } as const
try {
  const { values } = parseArgs({
    options: {
      ...{ data: text, host: text, port: text, 'admin-port': text, shards: text, 'epoch-seconds': text },
      ...{ 'max-body-bytes': text, 'jwt-secret-file': text, 'jwt-seconds': text },
    },
  })
  if (values.data === undefined) throw new Error('--data is required')
  const secretFile = values['jwt-secret-file']
  await using devnet = await startDevnet({
    dataDir: values.data,
    ...(values.host !== undefined && { host: values.host }),
    ...numbers({ port: values.port, adminPort: values['admin-port'], shards: values.shards }),
    ...numbers({ epochSeconds: values['epoch-seconds'], maxBodyBytes: values['max-body-bytes'] }),
    ...(secretFile !== undefined && {
      token: { secret: readFileSync(secretFile, 'utf8').trim(), ...numbers({ seconds: values['jwt-seconds'] }) },
    }),
  })
  process.stdout.write(`walrus-devnet: ${devnet.url}, admin ${devnet.adminUrl}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
} catch (error) {
  process.stderr.write(`walrus-devnet: ${(error as Error).message}\n${usage}`)
  process.exitCode = 2
}

function numbers<Word extends string>(values: Record<Word, string | undefined>): Partial<Record<Word, number>> {
  const given = Object.entries<string | undefined>(values).flatMap(([word, value]) => {
    if (value === undefined) return []
    if (!/^\d+$/.test(value)) throw new Error(`${value} is not a number`)
    return [[word, Number(value)]]
  })
  return Object.fromEntries(given)
}
