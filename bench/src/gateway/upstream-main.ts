import { createServer } from 'node:http'
import { verifyApiKey } from '@tideport/contracts/internal/api'

/** Stands in for auth and files: every key is good, every file is the same. Costs as little as Node can. */
const [port] = process.argv.slice(2)
const id = '01980d2e-5d5c-7c9b-8e57-3f3a5c1d2e4f'
const json = { 'content-type': 'application/json; charset=utf-8' }
const principal = JSON.stringify({ kind: 'account', accountId: id, method: 'api_key', keyId: id, scopes: null })
const file = JSON.stringify({
  id,
  name: 'photo.jpg',
  mimeType: 'image/jpeg',
  sizeBytes: 1000,
  vaultId: id,
  status: 'hot',
})

createServer((request, response) => {
  const answer = request.url === verifyApiKey.path ? principal : file
  request.resume().once('end', () => {
    response.writeHead(200, { ...json, 'content-length': answer.length }).end(answer)
  })
}).listen(Number(port), '127.0.0.1')
