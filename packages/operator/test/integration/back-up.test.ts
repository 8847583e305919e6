import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { withClient } from '@tideport/set-up/prepare-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backup } from '../../src/back-up/backup.ts'
import { restore } from '../../src/back-up/restore.ts'
import { reconcile } from '../../src/reconcile.ts'
import { verify } from '../../src/verify.ts'
import { type Drill, definitionsOf, readAll, rowsOf, setupDrill } from '../drill.ts'

describe('operator backup and operator restore', () => {
  let drill: Drill
  beforeAll(async () => {
    drill = await setupDrill()
  })
  afterAll(() => drill[Symbol.asyncDispose]())

  it('restores every row and byte on empty servers, and copies unchanged bytes only once', async () => {
    const { t, env, oldKey, identity, recipient, to, backUp, objectsIn, emptyServers } = drill
    const account = randomUUID()
    const webhook = randomUUID()
    const secret = createSecretBox([Buffer.from(oldKey, 'base64')]).seal(
      'whsec_old',
      `webhook-secret/${account}/${webhook}`,
    )
    await withClient(t.database.adminUrl, async (client) => {
      await client.query(`insert into auth.account (id, issuer, subject) values ($1, 'https://issuer', $2)`, [
        account,
        'a\tb\\n\n"ü',
      ])
      await client.query(
        `insert into auth.api_key (id, account_id, name, key_prefix, digest) values ($1, $2, 'key', 'tp_', sha256('secret'))`,
        [randomUUID(), account],
      )
      await client.query(
        `insert into webhooks.webhook (id, account_id, url, events, secret_encrypted)
         values ($1, $2, 'https://example.org', '{file.hot}', $3)`,
        [webhook, account, secret],
      )
    })
    const hot = await t.hotFile('hot')
    await t.coldFile('cold')
    await t.provedFile(randomBytes(300_000).toString('base64'))
    const first = await backUp('drill', '--recipient', recipient)
    expect(first).toMatchObject({ failure: null })
    expect(first.lines[0]).toMatch(/: 3 files, .* 3 files were copied now/)
    expect((await backUp('drill', '--recipient', recipient)).lines[0]).toMatch(/ 0 files were copied now/)

    await t.purge(hot)
    await t.hotFile('new')
    const last = await backUp('drill', '--identity', identity, '--keep', '1')
    expect(last.lines.join()).toMatch(/ 1 files were copied now.*1 files were removed with old backups/)
    expect(await objectsIn('drill')).toBe(3)
    await using other = await emptyServers()
    const restored = await t.run(restore, ['--from', to('drill'), '--identity', identity], other.env)
    expect(restored.failure).toBeNull()
    expect(await rowsOf(other.admin)).toEqual(await rowsOf(t.database.adminUrl))
    expect(await definitionsOf(other.admin)).toEqual(await definitionsOf(t.database.adminUrl))
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
    for (const [command, args] of [
      [reconcile, []],
      [verify, ['--all']],
    ] as const)
      expect((await t.run(command, [...args], other.env)).failure).toBeNull()
    const again = await t.run(restore, ['--from', to('drill'), '--identity', identity], other.env)
    expect(again.failure).toMatch(/already contains the backup/)
  })

  it('backs up to a bucket, and refuses other recipients, other installations, and targets that are not empty', async () => {
    const { t, env, identity, recipient, to, backUp, bucketTarget: target, emptyServers } = drill
    await using other = await emptyServers()
    const place = `s3://${t.bucket.bucket}/back/up`
    const run = (...args: string[]) => t.run(backup, ['--to', place, ...args], { ...env, ...target })
    for (const _ of [1, 2]) expect((await run('--recipient', recipient, '--keep', '1')).failure).toBeNull()
    expect((await run('--unencrypted')).failure).toMatch(/are encrypted for age1/)
    expect((await run()).failure).toMatch(/exactly one of/)
    const from = ['--from', place, '--identity', identity]
    expect((await t.run(restore, ['--from', place], { ...env, ...target })).failure).toMatch(/--identity FILE/)
    expect((await t.run(restore, from, { ...env, ...target })).failure).toMatch(/is not empty/)
    const restored = await t.run(restore, from, { ...other.env, ...target })
    expect(restored.failure).toBeNull()
    expect(await readAll(other.env)).toEqual(await readAll({ ...t.env, ...env }))
    await mkdir(to('used'))
    await writeFile(join(to('used'), 'letter.txt'), 'x')
    expect((await backUp('used', '--unencrypted')).failure).toMatch(/contains letter.txt but no backups/)
  })
})
