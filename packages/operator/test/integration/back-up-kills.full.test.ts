import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { must } from '@tideport/file-lifecycle/testing/bundle'
import { createFailpoints } from '@tideport/testing/failpoints'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restore } from '../../src/back-up/restore.ts'
import { type Drill, readAll, rowsOf, setupDrill } from '../drill.ts'

const main = new URL('../../src/main.ts', import.meta.url)

describe('a killed operator backup or operator restore', () => {
  let drill: Drill
  beforeAll(async () => {
    drill = await setupDrill()
  })
  afterAll(() => drill[Symbol.asyncDispose]())

  /** Backs up when Postgres has released the lock of the killed process. */
  async function backUpAgain(name: string): Promise<string> {
    let { failure, lines } = await drill.backUp(name, '--recipient', drill.recipient)
    await waitFor(async () => {
      if (failure?.includes('is running'))
        ({ failure, lines } = await drill.backUp(name, '--recipient', drill.recipient))
      return !failure?.includes('is running')
    })
    expect(failure).toBeNull()
    return must(lines[0])
  }

  it('continues after a kill: a backup copies no bytes again, and a restore completes', async () => {
    const { t, env, identity, recipient, to, objectsIn, emptyServers } = drill
    for (let one = 0; one < 40; one += 1) await t.hotFile(`many ${one}`)
    const args = ['--to', to('killed'), '--recipient', recipient]
    {
      await using program = spawnProgram(main, { ...(t.env as Record<string, string>), ...env }, ['backup', ...args])
      await waitFor(async () => (await objectsIn('killed').catch(() => 0)) > 5)
      await program.kill()
    }
    const before = await objectsIn('killed')
    expect((await t.run(restore, ['--from', to('killed'), '--identity', identity], env)).failure).toMatch(
      /no complete backup|not empty/,
    )
    const [, files, copied] = must(/: (\d+) files, .* (\d+) files were copied now/.exec(await backUpAgain('killed')))
    expect(Number(copied)).toBe(Number(files) - before)

    await using other = await emptyServers()
    const from = ['--from', to('killed'), '--identity', identity]
    {
      await using program = spawnProgram(main, other.env, ['restore', ...from])
      const Bucket = other.bucket.bucket
      const list = () => other.bucket.client.send(new ListObjectsV2Command({ Bucket, Prefix: 'hot/' }))
      await waitFor(async () => ((await list()).KeyCount ?? 0) > 5)
      await program.kill()
    }
    expect((await t.run(restore, from, other.env)).failure).toBeNull()
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
  })

  it.each(['backup.copied', 'backup.dumped', 'backup.listed'])(
    'leaves no backup at %s, and the next one is complete',
    async (point) => {
      const { t, env, identity, recipient, to } = drill
      await t.hotFile(point)
      await using failpoints = await createFailpoints()
      await failpoints.kill(point)
      const own = { ...(t.env as Record<string, string>), ...env, FAILPOINT_DIR: failpoints.directory }
      await using program = spawnProgram(main, own, ['backup', '--to', to(point), '--recipient', recipient])
      expect(await program.ended).toMatchObject({ signal: 'SIGKILL' })
      const check = () => t.run(restore, ['--from', to(point), '--identity', identity, '--check'], env)
      expect((await check()).failure).toMatch(/no complete backup/)
      expect(await backUpAgain(point)).toMatch(/ 0 files were copied now/)
      expect((await check()).failure).toBeNull()
    },
  )

  it('leaves no backup whose parts another backup removed', async () => {
    const { t, env, to } = drill
    await using failpoints = await createFailpoints()
    await failpoints.pause('backup.listed')
    const own = { ...(t.env as Record<string, string>), ...env, FAILPOINT_DIR: failpoints.directory }
    await using program = spawnProgram(main, own, ['backup', '--to', to('cloned'), '--unencrypted'])
    const folders = () => readdir(join(to('cloned'), 'backups')).catch(() => [])
    await waitFor(async () => (await folders()).length === 1)
    const folder = join(to('cloned'), 'backups', must((await folders())[0]))
    await waitFor(async () => (await readdir(folder)).includes('ids'))
    await rm(folder, { recursive: true })
    await failpoints.release('backup.listed')
    expect(await program.ended).toMatchObject({ code: 1 })
    expect(program.printed()).toContain('Another process removed parts of this backup')
    expect(await folders()).toEqual([])
  })

  it('continues after each step of a restore, and completes with all rows and bytes', async () => {
    const { t, env, identity, recipient, to, backUp, emptyServers } = drill
    await t.coldFile()
    expect((await backUp('steps', '--recipient', recipient)).failure).toBeNull()
    await using other = await emptyServers()
    await using failpoints = await createFailpoints()
    const own = { ...other.env, FAILPOINT_DIR: failpoints.directory }
    const run = () => spawnProgram(main, own, ['restore', '--from', to('steps'), '--identity', identity])
    for (const step of [
      ...['prepared', 'bytes', 'loaded', 'auth-committed', 'webhooks-committed', 'files-committed'],
      ...['rows', 'migrated', 're-encrypted', 'analyzed'],
    ]) {
      await failpoints.kill(`restore.${step}`)
      await using program = run()
      expect(await program.ended, `${step}: ${program.printed()}`).toMatchObject({ signal: 'SIGKILL' })
    }
    await using program = run()
    expect(await program.ended, program.printed()).toMatchObject({ code: 0 })
    expect(await rowsOf(other.admin)).toEqual(await rowsOf(t.database.adminUrl))
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
    await using again = run()
    expect(await again.ended).toMatchObject({ code: 1 })
    expect(again.printed()).toContain('already contains the backup')
  })
})
