import { parseArgs } from 'node:util'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { runProgram } from '../run-program.ts'
import { withOwnersUrl } from '../with-owners-url.ts'
import { setUpBucket } from './bucket.ts'
import { setUpDatabase } from './database.ts'
import { setUpStreams } from './streams.ts'

type Step = (context: CommandContext, options: { keyFile: string | undefined }) => Promise<void>

/** In the order they need each other. Each may be repeated, at any time, also by several at once. */
const steps: Record<string, Step> = {
  database: setUpDatabase,
  migrations: async (context) => {
    for (const owner of ['auth', 'files', 'webhooks'] as const) {
      const env = withOwnersUrl(context.env, owner, 'MIGRATION_DATABASE_URL')
      await runProgram(`services/${owner}/src/migrate.ts`, [], { ...context, env })
    }
  },
  bucket: setUpBucket,
  streams: setUpStreams,
  network: async (context) => {
    const env = withOwnersUrl(context.env, 'files', 'DATABASE_URL')
    await runProgram('services/files/src/set-up-network.ts', [], { ...context, env })
  },
  account: async (context, { keyFile }) => {
    const env = withOwnersUrl(context.env, 'auth', 'DATABASE_URL')
    const args = keyFile === undefined ? [] : ['--key-file', keyFile]
    await runProgram('services/auth/src/create-first-key.ts', args, { ...context, env })
  },
}

/** Brings servers to what the services expect. */
export const setUp: Command = {
  usage: `STEP… [--key-file PATH] (steps: ${Object.keys(steps).join(', ')})`,
  summary: 'Makes what an installation needs and does not have yet',
  async run(context) {
    const options = { 'key-file': { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: context.args, options, allowPositionals: true })
    const unknown = positionals.find((name) => !Object.hasOwn(steps, name))
    if (unknown !== undefined) throw new UsageError(`there is no step ${unknown}`)
    if (positionals.length === 0) throw new UsageError('name the steps')
    for (const [name, step] of Object.entries(steps)) {
      if (!positionals.includes(name)) continue
      context.signal.throwIfAborted()
      await step(context, { keyFile: values['key-file'] })
      context.log.info({ step: name }, 'step done')
    }
  },
}
