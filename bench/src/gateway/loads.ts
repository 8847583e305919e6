import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import type { Load } from './send-requests.ts'

const authorization = `Bearer ${formatApiKey(new Uint8Array(32).fill(7))}`

export const publicRead: Load = {
  method: 'GET',
  path: `/api/public/files/${crypto.randomUUID()}`,
  headers: {},
}

/** Auth is asked about the key. */
export const upload: Load = {
  method: 'POST',
  path: '/api/files/upload',
  headers: { authorization, 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'photo.jpg', mimeType: 'image/jpeg', sizeBytes: 1000, vaultId: crypto.randomUUID() }),
}
