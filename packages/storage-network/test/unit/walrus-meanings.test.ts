import { describe, expect, it } from 'vitest'
import { meaningOf, readMeanings, refusalOf, storeMeanings } from '../../src/walrus/meanings.ts'

const walrusForm = (reason: string, message = 'a sentence') =>
  Buffer.from(
    JSON.stringify({
      error: {
        ...{ status: 'SOME', code: 1, message },
        details: [{ '@type': 'ErrorInfo', reason, domain: 'daemon.walrus.space', metadata: {} }],
      },
    }),
  )
const plain = (text: string) => Buffer.from(text)
const markedInvalid = (blobId: string) => JSON.stringify({ markedInvalid: { blobId } })

/** Status and reason of every error response in the source of Walrus 1.56 (crates/walrus-service/src/client/daemon). */
const stores: [number, Buffer, string, { elsewhere: boolean; ambiguous: boolean }][] = [
  [400, walrusForm('MALFORMED_REQUEST'), 'copy_failed', { elsewhere: false, ambiguous: false }],
  [400, walrusForm('INVALID_BLOB_PERSISTENCE'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [400, walrusForm('INVALID_EXPIRATION'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [400, walrusForm('INVALID_SIZE'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [400, walrusForm('INCONSISTENT_TOKEN'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [400, walrusForm('INVALID_TOKEN'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [400, plain('Header of type `authorization` was missing'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [401, walrusForm('INVALID_SIGNATURE'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [429, walrusForm('TOKEN_ALREADY_USED'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [504, walrusForm('EXPIRED_SIGNATURE'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [429, plain('receiving too many requests'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [413, plain('length limit exceeded'), 'too_large', { elsewhere: true, ambiguous: false }],
  [451, walrusForm('FORBIDDEN_BLOB'), 'refused', { elsewhere: false, ambiguous: false }],
  [504, walrusForm('INSUFFICIENT_CONFIRMATIONS'), 'copy_failed', { elsewhere: true, ambiguous: true }],
  [500, walrusForm('INTERNAL'), 'copy_failed', { elsewhere: true, ambiguous: true }],
  [500, walrusForm('INTERNAL', 'could not find WAL coins'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [500, walrusForm('INTERNAL', 'No valid gas coins found'), 'unreachable', { elsewhere: true, ambiguous: false }],
  [500, plain('{"markedInvalid":{}}'), 'copy_failed', { elsewhere: true, ambiguous: true }],
  [500, plain(markedInvalid('kGaSx_noWcoinsQ')), 'copy_failed', { elsewhere: true, ambiguous: true }],
  [502, plain('<html>'), 'unreachable', { elsewhere: true, ambiguous: true }],
  [504, plain('<html>'), 'unreachable', { elsewhere: true, ambiguous: true }],
  [302, plain(''), 'unreachable', { elsewhere: true, ambiguous: true }],
]
const reads: [number, Buffer, string][] = [
  [404, walrusForm('BLOB_NOT_FOUND'), 'not_found'],
  [404, plain('no such page'), 'unreachable'],
  [416, walrusForm('INVALID_BYTE_RANGE'), 'integrity'],
  [451, walrusForm('FORBIDDEN_BLOB'), 'refused'],
  [403, walrusForm('BLOB_TOO_LARGE'), 'copy_failed'],
  [403, plain('go away'), 'unreachable'],
  [503, walrusForm('BLOB_UNAVAILABLE'), 'copy_failed'],
  [503, plain('down'), 'unreachable'],
  [500, walrusForm('INTERNAL'), 'copy_failed'],
  [429, plain('too many requests'), 'unreachable'],
]

describe('the meaning of a Walrus error response', () => {
  it.each(stores)('to a store: %i %s is %s', (status, body, code, { elsewhere, ambiguous }) => {
    const meaning = meaningOf(storeMeanings, refusalOf(status, body))
    expect(meaning.code).toBe(code)
    expect({ elsewhere: meaning.elsewhere ?? false, ambiguous: meaning.ambiguous ?? false }).toEqual({
      elsewhere,
      ambiguous,
    })
  })

  it.each(reads)('to a read: %i %s is %s', (status, body, code) => {
    expect(meaningOf(readMeanings, refusalOf(status, body)).code).toBe(code)
  })
})
