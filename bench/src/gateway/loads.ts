import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import type { Load } from './send-requests.ts'

const someKey = formatApiKey(new Uint8Array(32).fill(7))

export const publicRead: Load = {
  method: 'GET',
  path: `/api/public/files/${crypto.randomUUID()}`,
  headers: {},
}

/** Auth is asked about the key. */
export const uploadWith = (key: string): Load => ({
  method: 'POST',
  path: '/api/files/upload',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'photo.jpg', mimeType: 'image/jpeg', sizeBytes: 1000, vaultId: crypto.randomUUID() }),
})

export const upload = uploadWith(someKey)
