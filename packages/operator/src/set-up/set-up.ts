import { parseArgs } from 'node:util'
import { storageNetworkSettings } from '@tideport/file-lifecycle/process/settings'
import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { z } from 'zod'
import { type Command, type CommandContext, type Environment, UsageError } from '../command.ts'
import { runProgram } from '../run-program.ts'
import { withOwnersUrl } from '../with-owners-url.ts'
import { bucketStepSettings, setUpBucket } from './bucket.ts'
import { databaseStepSettings, setUpDatabase } from './database.ts'
import { setUpStreams, streamsStepSettings } from './streams.ts'

interface Step {
  /** What a check reads of it. Programs of services read theirs themselves; the networks' are those of files as well. */
  settings?: z.ZodObject
  run: (context: CommandContext, options: { keyFile: string | undefined }) => Promise<void>
}

/** In the order they need each other. Each may be repeated, at any time, also by several at once. */
const steps: Record<string, Step> = {
  database: { settings: databaseStepSettings, run: setUpDatabase },
  migrations: {
    async run(context) {
      for (const owner of ['auth', 'files', 'webhooks'] as const) {
        const env = withOwnersUrl(context.env, owner, 'MIGRATION_DATABASE_URL')
        await runProgram(`services/${owner}/src/migrate.ts`, [], { ...context, env })
      }
    },
  },
  bucket: { settings: bucketStepSettings, run: setUpBucket },
  streams: { settings: streamsStepSettings, run: setUpStreams },
  network: {
    settings: z.object(storageNetworkSettings),
    async run(context) {
      const env = withOwnersUrl(context.env, 'files', 'DATABASE_URL')
      await runProgram('services/files/src/set-up-network.ts', [], { ...context, env })
    },
  },
  account: {
    async run(context, { keyFile }) {
      const env = withOwnersUrl(context.env, 'auth', 'DATABASE_URL')
      const args = keyFile === undefined ? [] : ['--key-file', keyFile]
      await runProgram('services/auth/src/create-first-key.ts', args, { ...context, env })
    },
  },
}

/** Brings servers to what the services expect. */
export const setUp: Command = {
  usage: `STEP… [--key-file PATH] [--check] (steps: ${Object.keys(steps).join(', ')})`,
  summary: 'Makes what an installation needs and does not have yet',
  async run(context) {
    const options = { 'key-file': { type: 'string' }, check: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args: context.args, options, allowPositionals: true })
    const unknown = positionals.find((name) => !Object.hasOwn(steps, name))
    if (unknown !== undefined) throw new UsageError(`there is no step ${unknown}`)
    if (positionals.length === 0) throw new UsageError('name the steps')
    const named = Object.entries(steps).filter(([name]) => positionals.includes(name))
    if (values.check) {
      assertUsable(named, context.env)
      return context.print('set-up: the configuration can be used')
    }
    for (const [name, step] of named) {
      context.signal.throwIfAborted()
      await step.run(context, { keyFile: values['key-file'] })
      context.log.info({ step: name }, 'step done')
    }
  },
}

/** Makes nothing and asks nobody. @throws ConfigError with every fault */
function assertUsable(named: [string, Step][], env: Environment): void {
  const faults = named.flatMap(([, { settings }]) => (settings === undefined ? [] : faultsOf(settings, env)))
  if (faults.length > 0) throw new ConfigError([...new Set(faults)])
}

function faultsOf(settings: z.ZodObject, env: Environment): readonly string[] {
  try {
    loadConfig(settings, env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}
