import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { expect, test } from 'vitest'
import { type ApiClient, createApiClient } from '../support/api-client.ts'
import { brokenFiles, filesThere, wrongCounters, wrongHistories } from '../support/database.ts'
import { fetchBytes, publicFileUrl } from '../support/reading.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { killProcess, type TestStack } from './support/processes.ts'

const OPERATIONS = 2000
const CLIENTS = 16
const MEAN_PAUSE_MS = 3000
/** The test took 253 s on two cores with three busy loops. */
const TIMEOUT_MS = 1_500_000

/**
 * Kills the processes that write rows of files, one after the other, until the work is complete. Each runs again before
 * the next pause. Otherwise, on a busy machine, most would be dead most of the time and the work would never complete.
 */
async function killWhile(work: Promise<void>, stack: TestStack, random: Random): Promise<void> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await Promise.race([delay(2 * MEAN_PAUSE_MS * random()), end])
    if (isOver) break
    const name = (['files', 'sync', 'eviction'] as const)[Math.floor(random() * 3)]
    if (name) await Promise.race([killProcess(stack, name), end])
  }
  await end
}

/** The test does not record the bytes of copied files, but their rows have the digest. */
async function expectBytes(client: ApiClient, { id, sha256 }: { id: string; sha256: string | null }, stored?: string) {
  const { status, bytes } = await fetchBytes(publicFileUrl(client, id))
  const text = bytes.toString()
  const found = createHash('sha256').update(bytes).digest('hex')
  expect({ id, status, text, found }).toEqual({ id, status: 200, text: stored ?? text, found: sha256 ?? found })
}

test('concurrent random operations on a few paths with killed processes lose no file or byte, and counters and events are correct', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using stack = await startTestStack({
    together: [],
    env: { ACCOUNT_JOBS_MAX: '100', RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_ANONYMOUS_PER_SECOND: '0' },
  })
  const described = () => stack.describe()
  await withSeed(async (random) => {
    const programs = await startPrograms(described().gatewayUrls[0] as string, random)
    const { client, stored, outcomes, vaultIds } = programs
    await killWhile(programs.run(OPERATIONS, CLIENTS), stack, random)
    await programs.reopenAll()

    const open = async () =>
      (await client.get<{ jobs: { finishedAt: string | null }[] }>('/api/jobs?limit=100')).body.jobs
    await waitFor(async () => (await open()).every(({ finishedAt }) => finishedAt !== null), {
      what: 'all jobs to be over',
    })
    const answered = [...outcomes].map(([what, statuses]) => ({ what, statuses: [...statuses] }))
    expect(answered.filter(({ statuses }) => statuses.some((status) => status >= 500 && status !== 503))).toEqual([])
    expect(answered.filter(({ statuses }) => !statuses.some((status) => status < 300))).toEqual([])
    expect(await wrongCounters(described())).toEqual([])
    expect(await brokenFiles(described())).toEqual([])
    const ids = [...stored.keys()]
    await waitFor(async () => (await wrongHistories(described(), ids)).length === 0, {
      what: 'histories to be right',
    }).catch(async (cause) => {
      throw new Error(JSON.stringify((await wrongHistories(described(), ids)).slice(0, 5)), { cause })
    })
    const there = (await Promise.all(vaultIds.map((vaultId) => filesThere(described(), vaultId)))).flat()
    const check = async () => {
      for (let file = there.pop(); file !== undefined; file = there.pop())
        await expectBytes(client, file, stored.get(file.id))
    }
    await Promise.all(Array.from({ length: CLIENTS }, check))
  })
})

/** Few paths, so that all operations conflict. */
const PATHS = ['top', 'a/1', 'a/2', 'a/deep/1', 'b/1', 'b/2']
const FOLDERS = ['', 'a/', 'a/deep/', 'b/', 'c/']
const HOWS = ['keep', 'fail', 'replace']
/** The number of newest files to choose from. */
const RECENT = 40
const IDS_MAX = 8

/** Clients of one account that change its files in every way. Each client runs one operation at a time. */
async function startPrograms(gatewayUrl: string, random: Random) {
  const client = createApiClient(gatewayUrl, { 'X-Dev-Provider-Id': `e2e-${crypto.randomUUID()}` })
  const vaultIds: string[] = []
  for (const name of ['One', 'Two'])
    vaultIds.push((await client.post<{ id: string }>('/api/vaults', { name, visibility: 'public' })).body.id)
  /** The bytes of each PUT that returned 201, by file ID. */
  const stored = new Map<string, string>()
  const outcomes = new Map<string, Set<number>>()
  let written = 0

  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const recent = () => [...stored.keys()].slice(-RECENT)
  const some = () => Array.from({ length: 1 + Math.floor(random() * IDS_MAX) }, () => pick(recent()))

  function note(what: string, status: number): void {
    outcomes.set(what, (outcomes.get(what) ?? new Set()).add(status))
  }

  async function call<Body>(method: string, path: string, body?: object) {
    const answer = await client.call<Body>(method, path, { body })
    const fields = Object.keys(body ?? {})[0] ?? ''
    note(`${method} ${path.replace(/[0-9a-f-]{36}/, '')} ${fields}`, answer.status)
    return answer
  }

  async function put(): Promise<void> {
    const bytes = `file ${++written} ${'x'.repeat(random() * 200)}`
    const end = random() < 0.15 ? `&expiresAt=${new Date(Date.now() + 1000 + random() * 4000).toISOString()}` : ''
    const url = `${gatewayUrl}/api/vaults/${pick(vaultIds)}/content/${pick(PATHS)}?onConflict=${pick(HOWS)}${end}`
    const response = await fetch(url, { method: 'PUT', body: bytes, headers: client.identity })
    const { id } = (await response.json()) as { id?: string }
    note('PUT', response.status)
    if (response.status === 201 && id) stored.set(id, bytes)
    if (response.status === 503) await delay(1000)
    if (response.status === 503) await put()
  }
  const one =
    (method: string, what = '', body: () => object | undefined = () => undefined) =>
    () =>
      call(method, `/api/files/${pick(recent())}${what}`, body())
  const many = (what: string, more: () => object = () => ({})) => [
    () => call('POST', `/api/vaults/${pick(vaultIds)}/${what}`, { ids: some(), ...more() }),
    () => call('POST', `/api/vaults/${pick(vaultIds)}/${what}`, { prefix: pick(FOLDERS), ...more() }),
  ]
  const elsewhere = () => ({ to: pick(FOLDERS), onConflict: pick(HOWS) })
  const cancel = async () => {
    const { body } = await call<{ jobs?: { id: string }[] }>('GET', '/api/jobs?limit=5')
    const job = body?.jobs?.[Math.floor(random() * 5)]
    if (job) await call('POST', `/api/jobs/${job.id}/cancel`)
  }
  const closeForAMoment = async () => {
    const vaultId = pick(vaultIds)
    await call('DELETE', `/api/vaults/${vaultId}?force=true`)
    await reopen(vaultId)
  }
  async function reopen(vaultId: string): Promise<void> {
    const { status } = await call('POST', `/api/vaults/${vaultId}/restore`)
    if (status < 500) return
    await delay(200)
    await reopen(vaultId)
  }
  const actions: (() => Promise<unknown>)[] = [
    ...Array.from({ length: 10 }, () => put),
    ...[
      one('PATCH', '', () => ({ path: pick(PATHS), onConflict: pick(HOWS) })),
      one('PATCH', '', () => ({ tags: [pick(FOLDERS)] })),
    ],
    ...[one('PATCH', '', () => ({ expiresAt: random() < 0.5 ? null : new Date(Date.now() + 2000).toISOString() }))],
    ...[one('DELETE'), one('DELETE'), one('POST', '/restore'), one('POST', '/restore'), one('POST', '/rehydrate')],
    ...[
      ...many('trash'),
      ...many('restore-files'),
      ...many('restore-files'),
      ...many('move', elsewhere),
      ...many('copy', elsewhere),
    ],
    ...[many('delete')[0] as () => Promise<unknown>, cancel, closeForAMoment],
  ]
  for (let file = 0; file < RECENT / 4; file += 1) await put()

  return {
    client,
    vaultIds,
    stored: stored as ReadonlyMap<string, string>,
    /** The returned statuses by operation. */
    outcomes: outcomes as ReadonlyMap<string, ReadonlySet<number>>,
    /** Runs `count` operations with `atOnce` concurrent clients. */
    async run(count: number, atOnce: number): Promise<void> {
      let left = count
      const work = async () => {
        while (left-- > 0) await pick(actions)()
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    },
    reopenAll: () => Promise.all(vaultIds.map(reopen)),
  }
}
