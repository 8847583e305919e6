import { hash, randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { startNats } from '@tideport/testing/nats'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { main, operatorProgram, startSystem } from '../start-system.ts'

const ofObjects = ['claimed', 'batch', 'objects']
const ofRows = ['migrated', 'loaded', 'auth-committed', 'files-committed', 'webhooks-committed', 'rows']

it.each([
  ['together', [['s3', 'database', ...ofObjects, ...ofRows, 'noted']]],
  ['one after the other', [['s3', ...ofObjects, 'noted'], ['database', ...ofRows, 'noted']]], // biome-ignore format: a table
])('moves a bucket and a database %s, continues after a kill at each step, and serves the files', async (_, moves) => {
  await using dir = await createTemporaryDirectory('move-out')
  await using failpoints = await createFailpoints()
  await using database = await createTestDatabase({ schema: 'unused' })
  await using nats = await startNats()
  using bucket = await createBucket()
  await using store = await startFrontOfStore(bucket.settings)
  // Some stores have no CORS rules.
  store.answerBy(({ url, method }, response) => {
    const isRefused = method === 'PUT' && url?.includes('?cors') === true
    if (isRefused) response.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>')
    return isRefused
  })
  const [data, keyFile] = [join(dir.path, 'data'), join(dir.path, 'key')]
  const port = await freePort()
  const args = ['--data', data, '--port', String(port)]
  const embedded = { ADMIN_PORT: String(await freePort()) }
  const servers: Record<string, Record<string, string>> = {
    s3: s3Environment({ ...store.settings, bucket: `moved-${bucket.bucket}` }),
    database: { DATABASE_URL: database.adminUrl },
  }
  const start = (env: Record<string, string>) => startSystem(env, [...args, '--key-file', keyFile])
  const moveOut = (env: Record<string, string>) => spawnProgram(main, env, ['move-out', '--data', data])
  const request = async (path: string, init: RequestInit = {}) => {
    const authorization = `Bearer ${(await readFile(keyFile, 'utf8')).trim()}`
    const headers = { authorization, 'content-type': 'application/json' }
    return await fetch(`http://localhost:${port}/api/${path}`, { headers, ...init })
  }
  const digests: Record<string, string> = {}
  const read = async (id: string) => hash('sha256', await (await request(`public/files/${id}`)).bytes())
  async function upload(...sizes: number[]) {
    const created = await request('vaults', { method: 'POST', body: '{"name":"Photos","visibility":"public"}' })
    const { id: vault } = (await created.json()) as { id: string }
    for (const sizeBytes of sizes) {
      const body = randomBytes(sizeBytes)
      const file = await request(`vaults/${vault}/content/${sizeBytes}.bin`, { method: 'PUT', body })
      const { id } = (await file.json()) as { id: string }
      digests[id] = hash('sha256', body)
    }
  }

  {
    await using program = await start(embedded)
    await upload(5, 100_000, 3_000_000)
    const refused = moveOut({ ...servers.database })
    expect(await refused.ended).toMatchObject({ code: 1 })
    expect(refused.printed()).toContain('already running')
    const operator = spawnProgram(operatorProgram, { TIDEPORT_DATA: data }, [
      ...['backup', '--unencrypted', '--to', join(dir.path, 'backup')],
    ])
    expect(await operator.ended, operator.printed()).toMatchObject({ code: 0 })
    expect(operator.output.stdout).toContain('3 files')
    await program.stop()
  }
  const env: Record<string, string> = { ...embedded, NATS_URL: nats.url }
  for (const words of moves) {
    const before = { ...env }
    for (const word of words) Object.assign(env, servers[word])
    await using early = spawnProgram(main, env, args)
    expect(await early.ended).toMatchObject({ code: 1 })
    expect(early.printed()).toContain('tideport move-out')
    const password = 'wrong-password'
    const DATABASE_URL = Object.assign(new URL(database.adminUrl), { password }).href
    const wrong = { ...env, ...(env.DATABASE_URL && { DATABASE_URL }), AWS_SECRET_ACCESS_KEY: password }
    await using failed = moveOut(wrong)
    expect(await failed.ended).toMatchObject({ code: 1 })
    expect(failed.printed()).toMatch(/The move is not complete.*\n.* cannot be (prepared|created or used): /)
    expect(failed.printed()).not.toContain(password)
    const own = { ...env, SERVICE_ENV: 'development', FAILPOINT_DIR: failpoints.directory }
    for (const step of words.filter((word) => !(word in servers))) {
      await failpoints.kill(`move-out.${step}`)
      await using killed = moveOut(own)
      expect(await killed.ended, `${step}: ${killed.printed()}`).toMatchObject({ signal: 'SIGKILL' })
    }
    await using last = moveOut(own)
    expect(await last.ended, last.printed()).toMatchObject({ code: 0 })
    expect(last.printed()).toContain('Nothing to move')

    await using old = spawnProgram(main, before, args)
    expect(await old.ended).toMatchObject({ code: 1 })
    expect(old.printed()).toMatch(
      /The data of .* was moved to .* on .*\. Set (DATABASE_URL|S3_ENDPOINT) to this server/,
    )
    await using moved = await start(env)
    expect(moved.printed()).toMatch(/The CORS rule of the bucket moved-.* was not set \(NotImplemented\)/)
    for (const [id, digest] of Object.entries(digests)) expect(await read(id)).toBe(digest)
    await upload(6)
    await moved.stop()
  }
  for (const name of ['postgres', 's3']) await rm(join(data, name), { recursive: true, force: true })
  await using moved = await start(env)
  for (const [id, digest] of Object.entries(digests)) expect(await read(id)).toBe(digest)
  await moved.stop()
})
