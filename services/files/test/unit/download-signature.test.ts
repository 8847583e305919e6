import { describe, expect, it } from 'vitest'
import { hasExpired, isSignedDownload, signDownload } from '../../src/downloads/download-target.ts'

const [oldKey, newKey, strange] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const fileId = '01890a5d-ac96-774b-bcce-b302099a8057'
const expiresAt = new Date('2026-01-02T03:04:05.999Z')

describe('download signatures', () => {
  it('are valid for their file and expiry, even after key rotation', () => {
    const token = signDownload([oldKey], fileId, expiresAt)
    expect(isSignedDownload([newKey, oldKey], fileId, token)).toBe(true)
    expect(isSignedDownload([newKey, strange], fileId, token)).toBe(false)
  })

  it('expire at the start of the named second', () => {
    const token = signDownload([newKey], fileId, expiresAt)
    expect(hasExpired(token, new Date('2026-01-02T03:04:04.999Z'))).toBe(false)
    expect(hasExpired(token, new Date('2026-01-02T03:04:05.000Z'))).toBe(true)
  })
})
