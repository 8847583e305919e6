import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { type Bucket, signUrl } from '../system/sign-url.ts'

/** The least that can be called a request to upload: one row, one presigned URL. No identity, no limits, no confirm. */
const [port, connectionString = '', bucket = ''] = process.argv.slice(2)
const store = JSON.parse(bucket) as Bucket
const pool = new pg.Pool({ connectionString, max: 10 })
await pool.query(
  'create table if not exists bare_file (id uuid primary key, name text not null, size_bytes bigint not null)',
)
const insert = { name: 'insert', text: 'insert into bare_file (id, name, size_bytes) values ($1, $2, $3)' }

createServer(async (request, response) => {
  const { name, sizeBytes } = JSON.parse(String(await buffer(request)))
  const id = randomUUID()
  await pool.query({ ...insert, values: [id, name, sizeBytes] })
  const text = JSON.stringify({ fileId: id, uploadUrl: signUrl(store, 'PUT', `bare/${id}`) })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text)
}).listen(Number(port), '127.0.0.1')
