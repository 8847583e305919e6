import { describe, expect, it } from 'vitest'
import { type Change, reconcile, type Wanted } from '../../src/copies/reconcile.ts'
import type { CopyRow, CopyState, FileRow } from '../../src/state/tables.ts'

const DAY_MS = 24 * 3600 * 1000
const now = Date.UTC(2026, 0, 1)
const at = (days: number) => new Date(now + days * DAY_MS)

const two: Wanted = { required: ['a', 'b'], leaving: [] }
const one: Wanted = { required: ['a'], leaving: [] }
const leaving: Wanted = { required: ['a'], leaving: ['old'] }

/** A cold file without hot bytes by default. */
const file = (facts: Partial<FileRow> = {}) =>
  ({
    status: 'cold',
    hotKey: null,
    purgingAt: null,
    deletedAt: null,
    evictingAt: null,
    evictAttempt: 0,
    ...facts,
  }) as FileRow
const synced = (facts: Partial<FileRow> = {}) =>
  file({ status: 'synced', hotKey: 'k', hotUntil: at(-1), evictDueAt: null, ...facts })
const copy = (network: string, state: CopyState, facts: Partial<CopyRow> = {}) =>
  ({ network, state, storedAt: at(-9), lostAt: null, leasedAt: null, leaseExpiresAt: null, ...facts }) as CopyRow
const short = { leasedAt: at(-300), leaseExpiresAt: at(13) }

interface Case {
  title: string
  of?: FileRow
  copies: CopyRow[]
  wanted?: Wanted
  change: Change | null
}

const plan = (...networks: string[]): Change => ({ kind: 'plan', networks })
const drop = (dropped: CopyRow): Change => ({ kind: 'drop', copy: dropped })
const evict: Change = { kind: 'evict' }
const old = copy('old', 'proved')

describe('plans missing copies on required networks', () => {
  it.each<Case>([
    { title: 'without any rows', of: file({ status: 'hot', hotKey: 'k' }), copies: [], change: plan('a', 'b') },
    { title: 'on a new network', copies: [copy('a', 'proved')], change: plan('b') },
    { title: 'for a dropped copy', copies: [copy('a', 'proved'), copy('b', 'dropped')], change: plan('b') },
    { title: 'before a drop', copies: [copy('a', 'stored'), old], wanted: { ...two, leaving: ['old'] }, change: plan('b') }, // biome-ignore format: one case
    { title: 'also for a file in error', of: file({ status: 'error' }), copies: [], wanted: one, change: plan('a') },
    { title: 'also in the trash', of: file({ deletedAt: at(-1) }), copies: [copy('a', 'proved')], change: plan('b') },
    { title: 'not for a failed copy', copies: [copy('a', 'proved'), copy('b', 'failed')], change: null },
    { title: 'not for a dropping copy', copies: [copy('a', 'proved'), copy('b', 'dropping')], change: null },
    { title: 'never for a file that is being purged', of: file({ purgingAt: at(0) }), copies: [], change: null },
    { title: 'never for an upload', of: file({ status: 'uploading' }), copies: [], change: null },
  ])('$title', ({ of = file(), copies, wanted = two, change }) => {
    expect(reconcile({ file: of, copies }, wanted, now)).toEqual(change)
  })
})

describe('empties a leaving network one copy at a time, while all required ones have the file', () => {
  it.each<Case>([
    { title: 'a proved copy', copies: [copy('a', 'proved'), old], change: drop(old) },
    { title: 'a copy that was never stored', copies: [copy('a', 'proved'), copy('old', 'planned')], change: drop(copy('old', 'planned')) }, // biome-ignore format: one case
    { title: 'a failed copy', copies: [copy('a', 'proved'), copy('old', 'failed')], change: drop(copy('old', 'failed')) }, // biome-ignore format: one case
    { title: 'also of a hot file', of: synced({ status: 'hot' }), copies: [copy('a', 'proved'), old], change: drop(old) }, // biome-ignore format: one case
    { title: 'before eviction', of: synced(), copies: [copy('a', 'proved'), old], change: drop(old) },
    { title: 'not while the required copy is only stored', copies: [copy('a', 'stored'), old], change: null },
    {
      title: 'not while the required copy is planned again',
      copies: [copy('a', 'planned', { lostAt: at(0) }), old],
      change: null,
    },
    {
      title: 'not while the lease of the required copy is short',
      copies: [copy('a', 'proved', short), old],
      change: null,
    },
    { title: 'not while the file is evicting', of: synced({ evictingAt: at(0) }), copies: [copy('a', 'proved'), old], change: null }, // biome-ignore format: one case
    { title: 'not while another copy is dropped', copies: [copy('a', 'proved'), old, copy('older', 'dropping')], wanted: { required: ['a'], leaving: ['old', 'older'] }, change: null }, // biome-ignore format: one case
    { title: 'not twice', copies: [copy('a', 'proved'), copy('old', 'dropped')], change: null },
  ])('$title', ({ of = file(), copies, wanted = leaving, change }) => {
    expect(reconcile({ file: of, copies }, wanted, now)).toEqual(change)
  })

  it('ignores an unconfigured network', () => {
    const found = { file: file(), copies: [copy('a', 'proved'), copy('elsewhere', 'proved')] }
    expect(reconcile(found, one, now)).toBeNull()
  })
})

describe('makes hot bytes due for eviction when their time is over and every required copy is proved', () => {
  const proved = [copy('a', 'proved'), copy('b', 'proved')]
  it.each<Case>([
    { title: 'of a synced file', of: synced(), copies: proved, change: evict },
    { title: 'of a rehydrated file', of: synced({ status: 'cold' }), copies: proved, change: evict },
    { title: 'earlier than before', of: synced({ evictDueAt: at(1) }), copies: proved, change: evict },
    { title: 'of an evicting file that waited for copies', of: synced({ evictingAt: at(-1), evictAttempt: 1, evictDueAt: at(1) }), copies: proved, change: evict }, // biome-ignore format: one case
    { title: 'not of an evicting file that waits for its last URL', of: synced({ evictingAt: at(0), evictAttempt: 0, evictDueAt: at(1) }), copies: proved, change: null }, // biome-ignore format: one case
    { title: 'not again', of: synced({ evictDueAt: at(0) }), copies: proved, change: null },
    { title: 'not before their time is over', of: synced({ hotUntil: at(1) }), copies: proved, change: null },
    { title: 'not in the trash', of: synced({ deletedAt: at(0) }), copies: proved, change: null },
    { title: 'not of a file in error', of: synced({ status: 'error' }), copies: proved, change: null },
    {
      title: 'not with one proved copy of two',
      of: synced(),
      copies: [copy('a', 'proved'), copy('b', 'stored')],
      change: null,
    },
    { title: 'not with a short lease', of: synced(), copies: [copy('a', 'proved'), copy('b', 'proved', short)], change: null }, // biome-ignore format: one case
    { title: 'not while a copy is dropped', of: synced(), copies: [...proved, copy('old', 'dropping')], change: null },
  ])('$title', ({ of = file(), copies, change }) => {
    expect(reconcile({ file: of, copies }, two, now)).toEqual(change)
  })
})

describe('reports a file as lost when no place has its bytes', () => {
  it.each<Case>([
    { title: 'no hot bytes, and the only copy is lost', copies: [copy('a', 'planned', { lostAt: at(0) })], change: { kind: 'lost' } }, // biome-ignore format: one case
    { title: 'no hot bytes, and the only copy has failed', copies: [copy('a', 'failed')], change: { kind: 'lost' } },
    { title: 'the only other copy is dropping and was never stored', copies: [copy('a', 'failed'), copy('old', 'dropping', { storedAt: null })], wanted: leaving, change: { kind: 'lost' } }, // biome-ignore format: one case
    { title: 'the only other copy is dropping and was lost', copies: [copy('a', 'failed'), copy('old', 'dropping', { lostAt: at(-1) })], wanted: leaving, change: { kind: 'lost' } }, // biome-ignore format: one case
    { title: 'not with hot bytes', of: synced(), copies: [copy('a', 'planned')], change: null },
    { title: 'not with a stored copy', copies: [copy('a', 'stored')], change: null },
    { title: 'not with a dropping copy', copies: [copy('a', 'failed'), copy('old', 'dropping')], wanted: leaving, change: null }, // biome-ignore format: one case
    {
      title: 'not with a copy on an unconfigured network',
      copies: [copy('a', 'planned'), copy('elsewhere', 'proved')],
      change: null,
    },
    {
      title: 'not for a file in error',
      of: file({ status: 'error' }),
      copies: [copy('a', 'planned', { lostAt: at(0) })],
      change: null,
    },
  ])('$title', ({ of = file(), copies, wanted = one, change }) => {
    expect(reconcile({ file: of, copies }, wanted, now)).toEqual(change)
  })
})
