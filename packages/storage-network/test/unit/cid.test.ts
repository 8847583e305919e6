import { describe, expect, it } from 'vitest'
import { formatCid, parseCid } from '../../src/unixfs/cid.ts'

const EMPTY = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

describe('CID', () => {
  it('accepts no other form, so that one blob has one name and no name leaves its directory', () => {
    const others = [
      '',
      'staging',
      '../../etc/passwd',
      EMPTY.toUpperCase(),
      EMPTY.slice(0, -1),
      `${EMPTY}a`,
      // the same bytes with spare bits set
      `${EMPTY.slice(0, -1)}v`,
      // CIDv0
      'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
      // codec dag-cbor
      formatCid(Buffer.concat([Buffer.of(1, 0x71, 0x12, 0x20), Buffer.alloc(32)])),
    ]
    for (const text of others) expect(parseCid(text), text).toBeNull()
  })
})
