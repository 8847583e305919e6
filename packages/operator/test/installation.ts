import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { FailureCode } from '@tideport/file-lifecycle/state/state'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { beginEvicting, markCold } from '@tideport/file-lifecycle/state/transitions'
import { must, never } from '@tideport/file-lifecycle/testing/bundle'
import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { setupPurging } from '@tideport/file-lifecycle/testing/purging'
import { claimFor } from '@tideport/file-lifecycle/work/claim-step'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { s3Environment } from '@tideport/testing/s3'
import type { Command, Environment } from '../src/command.ts'

/** An installation with its own database, bucket, and networks, and functions to run commands on it. */
export async function setupInstallation(...networkNames: string[]) {
  const t = await (networkNames.length > 0 ? setupPurging(networkNames) : setupPurging())
  const env: Environment = {
    SERVICE_ENV: 'development',
    DATABASE_URL: t.database.url,
    ...s3Environment(t.bucket.settings),
    ...(networkNames.length > 0
      ? networksEnvironment(Object.fromEntries(networkNames.map((name) => [name, { dir: t.directoryOf(name).path }])))
      : { EMBEDDED_NETWORK_DIR: t.directory.path }),
    SETTLE_SECONDS: '3600',
  }
  return Object.assign(t, {
    env,
    /** Output of a command (parsed with `--json`), its log, and its failure. */
    async run(command: Command, args: string[], over: Environment = {}) {
      const lines: string[] = []
      const logged: Record<string, unknown>[] = []
      const destination = { write: (line: string) => void logged.push(JSON.parse(line)) }
      const log = createLogger({ service: 'operator', level: 'info', destination })
      const context = {
        args,
        env: { ...env, ...over },
        log,
        signal: never,
        print: (line: string) => void lines.push(line),
      }
      const failure = await command.run(context).then(
        () => null,
        (error: Error) => error.message,
      )
      const rows = args.includes('--json') ? lines.map((line) => JSON.parse(line)) : []
      return { rows, lines, logged, failure }
    },
    /** A cold file, as after eviction. */
    async coldFile(body = 'hello'): Promise<FileRow> {
      const { id } = await t.provedFile(body)
      const claimed = must(await claimFor(t.writes, { fileId: id }, 'evict'))
      must(await beginEvicting(t.writes, claimed, t.networks, { waitSeconds: 0 }))
      const again = must(await claimFor(t.writes, { fileId: id }, 'evict'))
      await t.hotTier.remove(must(again.hotKey))
      return must(await markCold(t.writes, again, t.networks))
    },
    /** Deletes a copy without the network's knowledge. */
    async loseCopy(file: Pick<FileRow, 'id'>, name?: string): Promise<void> {
      const { network, blobId, reference } = await t.copy(file, name)
      await rm(join(t.directoryOf(network).path, must(blobId), reference))
    },
    /** The copy exists, but its volume is not readable. */
    async hideCopy(file: Pick<FileRow, 'id'>): Promise<void> {
      const { network, blobId, reference } = await t.copy(file)
      const path = join(t.directoryOf(network).path, must(blobId), reference)
      await rm(path)
      await symlink(path, path)
    },
    /** Turns a hot file into one that sync moved to error this long ago. */
    async fail(file: Pick<FileRow, 'id'>, code: FailureCode = 'sync_failed', secondsAgo = 7200): Promise<void> {
      const { status } = await t.giveUp(file, code)
      if (status !== 'error') throw new Error(`The file is ${status}`)
      await t.assign(file.id, `errored_at = errored_at - make_interval(secs => ${secondsAgo})`)
    },
  })
}

export type TestInstallation = Awaited<ReturnType<typeof setupInstallation>>
