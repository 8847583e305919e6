import { createCipheriv, createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { DecryptionError } from '../../src/crypto/decryption-errors.ts'
import { OVERHEAD_BYTES, startDecryption, startEncryption } from '../../src/crypto/floe.ts'

const key = new Uint8Array(randomBytes(32))
const aad = new TextEncoder().encode('test')
const segmentBytes = 64
const room = segmentBytes - OVERHEAD_BYTES

/** A segment of the specification, by Node's own cryptography. */
function judge(header: Uint8Array, plaintext: Uint8Array, position: number, isLast: boolean): Buffer {
  const [parameters, iv] = [header.subarray(0, 10), header.subarray(10, 42)]
  const derive = (from: Uint8Array, purpose: Uint8Array, length: number) =>
    createHmac('sha384', from)
      .update(Buffer.concat([parameters, iv, purpose, aad, Buffer.from([1])]))
      .digest()
      .subarray(0, length)
  const at = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64BE(BigInt(value))
    return bytes
  }
  const messageKey = derive(key, Buffer.from('MESSAGE_KEY:'), 48)
  const segmentKey = derive(messageKey, Buffer.concat([Buffer.from('DEK:'), at(position - (position % 2 ** 20))]), 32)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', segmentKey, nonce)
  cipher.setAAD(Buffer.concat([at(position), Buffer.from([isLast ? 1 : 0])]))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(isLast ? plaintext.length + OVERHEAD_BYTES : 0xffffffff)
  return Buffer.concat([length, nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

it('opens bytes of another implementation, even across key changes', async () => {
  const { header } = await startEncryption(key, aad, segmentBytes)
  const floe = await startDecryption(key, aad, segmentBytes, header)
  for (const position of [0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 2 ** 33]) {
    for (const [length, isLast] of [
      [room, false],
      [room, true],
      [0, true],
      [7, true],
    ] as const) {
      const plaintext = new Uint8Array(randomBytes(length))
      await expect(floe.decrypt(judge(header, plaintext, position, isLast), position, isLast)).resolves.toEqual(
        plaintext,
      )
    }
  }
})

it('returns nothing of modified, moved, truncated, or falsely last segments', async () => {
  const floe = await startEncryption(key, aad, segmentBytes)
  const segment = await floe.encrypt(new Uint8Array(room), 3, false)
  await expect(floe.decrypt(segment, 3, false)).resolves.toHaveLength(room)
  const wrong = [
    [segment, 2, false],
    [segment, 3, true],
    [segment.subarray(0, -1), 3, false],
    [new Uint8Array(segmentBytes), 3, false],
  ] as const
  for (const [bytes, position, isLast] of wrong)
    await expect(floe.decrypt(bytes, position, isLast)).rejects.toThrow(DecryptionError)
  for (let at = 0; at < segment.length; at++) {
    const changed = segment.slice()
    changed[at] = (changed[at] as number) ^ 1
    await expect(floe.decrypt(changed, 3, false), `byte ${at}`).rejects.toThrow(DecryptionError)
  }
})

it('rejects a header of another key, context, size, or tag', async () => {
  const { header } = await startEncryption(key, aad, segmentBytes)
  const other = new Uint8Array(32)
  await expect(startDecryption(other, aad, segmentBytes, header)).rejects.toThrow(DecryptionError)
  await expect(startDecryption(key, other, segmentBytes, header)).rejects.toThrow(DecryptionError)
  await expect(startDecryption(key, aad, 128, header)).rejects.toThrow(DecryptionError)
  for (const at of [0, 12, 73]) {
    const changed = header.slice()
    changed[at] = (changed[at] as number) ^ 1
    await expect(startDecryption(key, aad, segmentBytes, changed)).rejects.toThrow(DecryptionError)
  }
})
