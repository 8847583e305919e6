import { execFile } from 'node:child_process'
import { appendFile, chmod, chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@tideport/testing/wait-for'
import pg from 'pg'
import { findProcess, signalProcess, type TestStack } from './processes.ts'

/**
 * Starts a WAL archive and makes a base backup of the stack's Postgres, as an operator does (docs/operate/back-up.md).
 */
export async function keepBackup(stack: TestStack) {
  const ask = <Row extends pg.QueryResultRow>(text: string) => query<Row>(stack, text)
  const [{ cluster } = { cluster: '' }] = await ask<{ cluster: string }>(
    `select current_setting('data_directory') as cluster`,
  )
  const archive = join(dirname(cluster), 'archive')
  const backup = join(dirname(cluster), 'backup')
  await mkdir(archive)
  await chmod(archive, 0o777) // the server may run as another user

  await ask('alter system set archive_mode = on')
  await ask(`alter system set archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`)
  const before = findProcess(stack, 'postgres')
  signalProcess(before, 'SIGINT')
  await waitFor(() => findProcess(stack, 'postgres').pid !== before.pid, { what: 'Postgres to run again' })
  await copyCluster(stack, cluster, backup)

  return {
    /** The time of the Postgres clock, between earlier and later transactions. */
    async now(): Promise<string> {
      const [row] = await ask<{ now: string }>('select now()::text')
      return String(row?.now)
    },
    /** Waits until the archive contains all committed transactions. */
    async archiveAll(): Promise<void> {
      const [{ file } = { file: '' }] = await ask<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
      const isArchived = `select last_archived_wal >= '${file}' as done from pg_stat_archiver`
      await waitFor(async () => (await ask<{ done: boolean }>(isArchived))[0]?.done, { what: 'the archive' })
    },
    /** Replaces the cluster of a stopped server with the backup. On start, Postgres recovers it up to `time`. */
    async restore(time: string): Promise<void> {
      await rm(cluster, { recursive: true })
      await rename(backup, cluster)
      const settings = {
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_time: time,
        recovery_target_action: 'promote',
        hot_standby: 'off', // no queries during recovery
      }
      const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
      await appendFile(join(cluster, 'postgresql.auto.conf'), lines.join(''))
      const signal = join(cluster, 'recovery.signal')
      await writeFile(signal, '')
      await ownAs(cluster, signal)
    },
  }
}

/** Replaces pg_basebackup, which the packaged Postgres lacks. The session stays open until the copy is complete. */
async function copyCluster(stack: TestStack, cluster: string, backup: string): Promise<void> {
  const client = new pg.Client(stack.describe().postgresUrl)
  await client.connect()
  try {
    await client.query(`select pg_backup_start('drill', true)`)
    await promisify(execFile)('cp', ['-a', cluster, backup])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    const label = join(backup, 'backup_label')
    await writeFile(label, String(rows[0]?.labelfile))
    await ownAs(cluster, label)
    await rm(join(backup, 'postmaster.pid'))
  } finally {
    await client.end()
  }
}

/** Gives the file the owner of `model`, because the server may run as another user and has to sync and remove it. */
async function ownAs(model: string, file: string): Promise<void> {
  const { uid, gid } = await stat(model)
  await chown(file, uid, gid)
}

async function query<Row extends pg.QueryResultRow>(stack: TestStack, text: string): Promise<Row[]> {
  const client = new pg.Client(stack.describe().postgresUrl)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
