import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSecretBox } from '../../src/secrets/secret-box.ts'

const owner = 'secret/a/w'
const keys = [randomBytes(32), randomBytes(32)] as const

describe('createSecretBox', () => {
  it('opens a sealed text, which does not reveal its content', () => {
    const box = createSecretBox([keys[0]])
    const sealed = box.seal('whsec_secret ü', owner)
    expect(sealed).not.toContain('secret')
    expect(box.open(sealed, owner)).toBe('whsec_secret ü')
  })

  it('seals the same text differently each time', () => {
    const box = createSecretBox([keys[0]])
    expect(box.seal('same', owner)).not.toBe(box.seal('same', owner))
  })

  it('seals with the first key, and still opens texts that a later key sealed', () => {
    const before = createSecretBox([keys[1]])
    const rotated = createSecretBox([keys[0], keys[1]])
    expect(rotated.open(before.seal('old', owner), owner)).toBe('old')
    expect(() => before.open(rotated.seal('new', owner), owner)).toThrow('not configured')
  })

  it('does not open for another owner', () => {
    const box = createSecretBox([keys[0]])
    const sealed = box.seal('text', owner)
    expect(() => box.open(sealed, 'secret/b/w')).toThrow()
    expect(() => box.open(sealed, '')).toThrow()
  })

  it('does not open a text with a changed byte', () => {
    const box = createSecretBox([keys[0]])
    const [format, id, encoded = ''] = box.seal('text', owner).split('.')
    const bytes = Buffer.from(encoded, 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
      expect(() => box.open(`${format}.${id}.${altered.toString('base64url')}`, owner)).toThrow()
    }
    expect(() => box.open(`${format}.${id}.`, owner)).toThrow()
  })

  it('opens only the returned form of a sealed text, not other encodings of the same bytes', () => {
    const box = createSecretBox([keys[0]])
    const sealed = box.seal('text', owner)
    for (const end of ['=', '==', '%00', '\n', '.', '.A']) expect(() => box.open(sealed + end, owner), end).toThrow()
  })

  it('requires a key', () => {
    expect(() => createSecretBox([])).toThrow('needs a key')
  })
})
