import { expect, it } from 'vitest'
import { requireEncrypted, UnencryptedFileError } from '../../src/crypto.ts'
import { ProtocolError } from '../../src/tideport.ts'

it('accepts unencrypted files of a private vault only on request, and only in a vault without a key', () => {
  const file = { path: 'f', vaultId: 'v', wrappedKey: null }
  const vault = { id: 'v', visibility: 'private', keyId: null, isExport: false } as const
  for (const one of [vault, { ...vault, isExport: true }]) {
    expect(() => requireEncrypted(file, one)).toThrow(UnencryptedFileError)
    expect(requireEncrypted(file, one, { asStored: true })).toBeUndefined()
    expect(() => requireEncrypted(file, { ...one, keyId: 'x' }, { asStored: true })).toThrow(UnencryptedFileError)
    expect(() => requireEncrypted({ ...file, vaultId: 'w' }, one, { asStored: true })).toThrow(ProtocolError)
  }
})
