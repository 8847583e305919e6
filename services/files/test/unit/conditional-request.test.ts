import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { planAnswer } from '../../src/downloads/send-file.ts'

const lastModified = new Date('2026-01-02T03:04:05.678Z')
const of1000 = { etag: '"id"', sizeBytes: 1000, lastModified }
const plan = (headers: IncomingHttpHeaders, method = 'GET', sizeBytes = 1000) =>
  planAnswer({ method, headers }, { ...of1000, sizeBytes })
const partial = (start: number, end: number) => ({ status: 206, range: { start, end } })

describe('ranges (RFC 9110 §14)', () => {
  it.each([
    ['bytes=0-0', partial(0, 0)],
    ['bytes=0-999', partial(0, 999)],
    ['bytes=500-', partial(500, 999)],
    ['bytes=990-5000', partial(990, 999)],
    ['bytes=-1', partial(999, 999)],
    ['bytes=-5000', partial(0, 999)],
    ['BYTES=1-2', partial(1, 2)],
    ['bytes=1000-', { status: 416 }],
    ['bytes=-0', { status: 416 }],
    [`bytes=${'9'.repeat(30)}-`, { status: 416 }],
    ['bytes=5-2', { status: 200 }],
    ['bytes=0-1,5-6', { status: 200 }],
    ['bytes=-', { status: 200 }],
    ['bytes=a-b', { status: 200 }],
    ['bytes=-1e3', { status: 200 }],
    ['items=0-1', { status: 200 }],
  ])('%s', (range, answer) => expect(plan({ range })).toEqual(answer))

  it('apply to GET only', () => {
    expect(plan({ range: 'bytes=0-0' }, 'HEAD')).toEqual({ status: 200 })
  })

  it.each(['bytes=0-', 'bytes=0-0', 'bytes=-500', 'bytes=-0', 'bytes=5-', 'bytes=0-1,5-6'])(
    'are ignored for an empty file: %s',
    (range) => expect(plan({ range, 'if-range': '"id"' }, 'GET', 0)).toEqual({ status: 200 }),
  )

  it('apply with If-Range only if it identifies exactly these bytes', () => {
    const range = 'bytes=0-9'
    expect(plan({ range, 'if-range': '"id"' })).toEqual(partial(0, 9))
    expect(plan({ range, 'if-range': lastModified.toUTCString() })).toEqual(partial(0, 9))
    for (const other of ['"other"', 'W/"id"', 'Thu, 01 Jan 2026 00:00:00 GMT', 'garbage']) {
      expect(plan({ range, 'if-range': other })).toEqual({ status: 200 })
    }
  })
})

describe('conditions (RFC 9110 §13)', () => {
  it('return 304 for an entity tag that the client has, before any range', () => {
    for (const tag of ['"id"', 'W/"id"', '"a", "id"', '*']) {
      expect(plan({ 'if-none-match': tag, range: 'bytes=5000-' })).toEqual({ status: 304 })
    }
    expect(plan({ 'if-none-match': '"other"' })).toEqual({ status: 200 })
  })

  it('use If-Modified-Since only without If-None-Match', () => {
    const since = lastModified.toUTCString()
    expect(plan({ 'if-modified-since': since })).toEqual({ status: 304 })
    expect(plan({ 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' })).toEqual({ status: 200 })
    expect(plan({ 'if-modified-since': since, 'if-none-match': '"other"' })).toEqual({ status: 200 })
  })
})
