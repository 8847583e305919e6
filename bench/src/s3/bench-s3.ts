import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { digestsOf } from '@tideport/digests/digester'
import pg from 'pg'
import { Pool } from 'undici'
import { compare, print, timed, type Variant } from '../measure.ts'
import { openAccount } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { withCpu } from '../system/cpu-per-file.ts'
import type { BenchOptions } from '../system/options.ts'
import { type Bucket, signUrl } from '../system/sign-url.ts'
import { startNginx } from '../system/start-nginx.ts'
import { type System, startSystem } from '../system/start-system.ts'

const ROUNDS = 5
const LADDER = [1, 4, 8, 32, 64]
const SMALL = Buffer.alloc(1024, 7)
const MIDDLE = Buffer.alloc(100_000_000, 'The quick brown fox jumps over the lazy dog. ')
const GIB = 1024 ** 3
const KEYS = 1_000_000
const PAGE = 1000
const settings = { OPEN_UPLOADS_MAX: '10000000', HOT_RETENTION_SECONDS: '86400', SETTLE_SECONDS: '3600' }

/**
 * The S3 API against versitygw alone, the store of the same system: PUT of 1 KiB by 1 to 64 callers, and of 100 MB with
 * digests. GET of a hot file of 1 GiB against nginx. Lists of a million keys: page 1,000 against page 1.
 */
export async function benchS3({ peerFile, profileDir, inFlight = LADDER }: BenchOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const system = stack.use(await startSystem({ env: settings, profileDir, together: ['gateway', 'auth', 'files'] }))
  system.pause()
  const ours = stack.use(openBucket(await newBucket(system)))
  const store = stack.use(openBucket({ ...system.s3 }))
  const peer = peerFile ? stack.use(openBucket(JSON.parse(await readFile(peerFile, 'utf8')).s3 as Bucket)) : null
  for (const callers of inFlight) {
    const load = { count: Math.max(100, callers * 12), inFlight: callers }
    const put = (name: string, to: OpenBucket): Variant => ({
      name,
      run: () => ratePerSecond(load, () => to.put(`small/${randomUUID()}`, SMALL)),
    })
    const own = withCpu(system, load.count, put('S3 API', ours))
    const variants = [put('versitygw', store), own.variant, ...(peer ? [put('peer', peer)] : [])]
    print(`PUT of 1 KiB, ${callers} in flight`, '/s', await compare(variants, ROUNDS))
    own.tell()
  }
  await benchDigests(ours, store)
  await benchReading(ours)
  await benchPages(system, ours)
}

async function benchDigests(ours: OpenBucket, store: OpenBucket): Promise<void> {
  const { md5, crc64nvme } = await digestsOf(['md5', 'crc64nvme'], MIDDLE)
  const sha256 = createHash('sha256').update(MIDDLE).digest('hex')
  const all = {
    'content-md5': md5 as string,
    'x-amz-checksum-crc64nvme': crc64nvme as string,
    'x-amz-content-sha256': sha256,
  }
  const put = (name: string, to: OpenBucket, headers: Record<string, string>): Variant => ({
    name,
    run: async () => MIDDLE.length / 1e3 / (await timed(() => to.put('middle', MIDDLE, headers))),
  })
  const variants = [
    put('MD5 alone', ours, {}),
    put('MD5, CRC64NVME, SHA-256', ours, all),
    put('versitygw, MD5 alone', store, {}),
    put('versitygw, MD5, CRC64NVME, SHA-256', store, all),
  ]
  print('PUT of 100 MB with digests', 'MB/s', await compare(variants, ROUNDS))
}

async function benchReading(ours: OpenBucket): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  await chmod(dir, 0o755)
  const bytes = Buffer.alloc(GIB, 'The quick brown fox jumps over the lazy dog. ')
  await writeFile(join(dir, 'large'), bytes)
  await ours.put('large', bytes)
  const nginx = stack.use(await startNginx({ port: await freePort(), root: dir, dir }))
  const read = (name: string, url: () => string): Variant => ({ name, run: () => megabytesPerSecond(url(), GIB) })
  const variants = [read('nginx', () => `${nginx.url}/large`), read('S3 API', () => ours.url('GET', 'large'))]
  print('GET of a hot file of 1 GiB', 'MB/s', await compare(variants, ROUNDS))
}

async function benchPages(system: System, ours: OpenBucket): Promise<void> {
  await seedKeys(system.postgresUrl, ours.bucket)
  const page = (number: number): Variant => ({
    name: `page ${number}`,
    run: () => timed(() => ours.list({ 'start-after': `seed/${String((number - 1) * PAGE).padStart(7, '0')}` })),
  })
  print('A page of 1,000 of a million keys', 'ms', await compare([page(1), page(KEYS / PAGE)], 15))
}

/** A new vault of a new account, with credentials for the S3 API. */
async function newBucket(system: System): Promise<Bucket> {
  await using account = await openAccount(system.gatewayUrl, 's3')
  const { s3 } = await account.call<{ s3: Pick<Bucket, 'accessKeyId' | 'secretAccessKey'> }>(
    'POST',
    '/api/auth/api-keys',
    { name: 'S3', s3: true },
  )
  const { slug } = await account.call<{ slug: string }>('GET', `/api/vaults/${account.vaultId}`)
  return { endpoint: system.s3ApiUrls[0] as string, bucket: slug, region: 'us-east-1', ...s3 }
}

type OpenBucket = ReturnType<typeof openBucket>

function openBucket(bucket: Bucket) {
  const pool = new Pool(bucket.endpoint, { connections: 64, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  const call = async (
    method: 'GET' | 'PUT',
    url: string,
    body: Buffer | null,
    headers: Record<string, string> = {},
  ) => {
    const { pathname, search } = new URL(url)
    const answer = await pool.request({ method, path: pathname + search, body, headers })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${method} ${pathname} returned ${answer.statusCode}: ${text}`)
  }
  return {
    bucket: bucket.bucket,
    url: (method: 'GET' | 'PUT', key: string) => signUrl(bucket, method, key),
    put: (key: string, bytes: Buffer, headers?: Record<string, string>) =>
      call('PUT', signUrl(bucket, 'PUT', key, headers ? { headers } : {}), bytes, headers),
    list: (query: Record<string, string>) =>
      call('GET', signUrl(bucket, 'GET', '', { query: { 'list-type': '2', ...query } }), null),
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

async function megabytesPerSecond(url: string, size: number): Promise<number> {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin)
  const startedAt = performance.now()
  const { body } = await pool.request({ method: 'GET', path: pathname + search })
  let read = 0
  for await (const chunk of body) read += (chunk as Buffer).length
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  if (read !== size) throw new Error(`${pathname} has ${read} bytes`)
  return size / 1e6 / seconds
}

/** Inserts rows of hot files `seed/0000001` to `seed/1000000`. Their bytes do not exist. */
async function seedKeys(postgresUrl: string, slug: string): Promise<void> {
  const client = new pg.Client(postgresUrl)
  await client.connect()
  const { rows } = await client.query('select id, account_id from files.vault where slug = $1', [slug])
  const [vault] = rows as { id: string; account_id: string }[]
  if (vault === undefined) throw new Error(`No vault has the slug ${slug}`)
  await client.query('alter table files.file disable trigger user')
  await client.query(
    `insert into files.file (id, account_id, vault_id, folder, name, mime_type, size_bytes, status, upload_key,
      upload_expires_at, created_at, confirmed_at)
    select gen_random_uuid(), $1, $2, 'seed/', lpad(n::text, 7, '0'), 'text/plain', 1000, 'hot', 'k', now(), now(), now()
    from generate_series(1, $3::int) as n`,
    [vault.account_id, vault.id, KEYS],
  )
  await client.query('alter table files.file enable trigger user')
  await client.query('vacuum analyze files.file')
  await client.end()
}
