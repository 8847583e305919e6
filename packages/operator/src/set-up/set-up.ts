import { parseArgs } from 'node:util'
import { storageNetworkSettings } from '@tideport/file-lifecycle/process/settings'
import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { misspelledSettings } from '@tideport/service-kit/config/misspelled'
import { databaseSettings } from '@tideport/service-kit/config/process-settings'
import { migrationSettings } from '@tideport/service-kit/postgres/migration-main'
import { waitSettings } from '@tideport/service-kit/process/until-available'
import { z } from 'zod'
import { type Command, type CommandContext, type Environment, UsageError } from '../command.ts'
import { runProgram, withOwnersUrl } from '../run-program.ts'
import { composeVariables, settingsNotPassed } from './compose-variables.ts'
import {
  bucketStepSettings,
  databaseStepSettings,
  setUpBucket,
  setUpDatabase,
  setUpStreams,
  streamsStepSettings,
} from './servers.ts'

interface Options {
  keyFile: string | undefined
  acceptLostCopies: boolean
}

interface Step {
  settings: z.ZodObject
  /** Environments of the step. Default: the given one. */
  environments?: (env: Environment) => Environment[]
  run: (context: CommandContext, options: Options) => Promise<void>
}

const migrated = ['auth', 'files', 'webhooks'] as const

/** In order of dependency. Each step is repeatable, even concurrently. */
const steps: Record<string, Step> = {
  database: { settings: databaseStepSettings, run: setUpDatabase },
  migrations: {
    settings: z.object(migrationSettings),
    environments: (env) => migrated.map((owner) => withOwnersUrl(env, owner, 'MIGRATION_DATABASE_URL')),
    async run(context) {
      for (const owner of migrated) {
        const env = withOwnersUrl(context.env, owner, 'MIGRATION_DATABASE_URL')
        await runProgram(`services/${owner}/src/migrate.ts`, [], { ...context, env })
      }
    },
  },
  bucket: { settings: bucketStepSettings, run: setUpBucket },
  streams: { settings: streamsStepSettings, run: setUpStreams },
  network: {
    settings: z.object({ ...databaseSettings, ...storageNetworkSettings, ...waitSettings }),
    environments: (env) => [withOwnersUrl(env, 'files', 'DATABASE_URL')],
    async run(context, { acceptLostCopies }) {
      const env = withOwnersUrl(context.env, 'files', 'DATABASE_URL')
      const args = acceptLostCopies ? ['--accept-lost-copies'] : []
      await runProgram('services/files/src/set-up-network.ts', args, { ...context, env })
    },
  },
  account: {
    settings: z.object({ ...databaseSettings, ...waitSettings }),
    environments: (env) => [withOwnersUrl(env, 'auth', 'DATABASE_URL')],
    async run(context, { keyFile }) {
      const env = withOwnersUrl(context.env, 'auth', 'DATABASE_URL')
      const args = keyFile === undefined ? [] : ['--key-file', keyFile]
      await runProgram('services/auth/src/create-first-key.ts', args, { ...context, env })
    },
  },
}

export const setUp: Command = {
  usage: `STEP… [--key-file PATH] [--accept-lost-copies] [--check] [--check-names] (steps: ${Object.keys(steps).join(', ')})`,
  summary: 'Creates the missing parts of an installation',
  async run(context) {
    const flag = { type: 'boolean', default: false } as const
    const options = {
      'key-file': { type: 'string' },
      'accept-lost-copies': flag,
      check: flag,
      'check-names': flag,
    } as const
    const { values, positionals } = parseArgs({ args: context.args, options, allowPositionals: true })
    const unknown = positionals.find((name) => !Object.hasOwn(steps, name))
    if (unknown !== undefined) throw new UsageError(`unknown step ${unknown}`)
    if (positionals.length === 0) throw new UsageError('name at least one step')
    const named = Object.entries(steps).filter(([name]) => positionals.includes(name))
    assertUsable(named, context.env, values['check-names'])
    if (values.check) return context.print('set-up: the configuration is valid')
    for (const [name, step] of named) {
      context.signal.throwIfAborted()
      await step.run(context, { keyFile: values['key-file'], acceptLostCopies: values['accept-lost-copies'] })
      context.log.info({ step: name }, 'step done')
    }
  },
}

/** Throws `ConfigError` with all faults before anything is created. */
function assertUsable(named: [string, Step][], env: Environment, checkNames: boolean): void {
  const unusable = named.flatMap(([, { settings, environments }]) =>
    (environments?.(env) ?? [env]).flatMap((own) => faultsOf(settings, own)),
  )
  const names = Object.values(steps).flatMap(({ settings }) => Object.keys(settings.shape))
  const faults = [...(checkNames ? faultsOfNames(env, names) : []), ...unusable]
  if (faults.length > 0) throw new ConfigError([...new Set(faults)])
}

function faultsOfNames(env: Environment, names: string[]): string[] {
  const others = settingsNotPassed(env)
  return [...misspelledSettings(env, [...composeVariables, ...others.names, ...names]), ...others.faults]
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
