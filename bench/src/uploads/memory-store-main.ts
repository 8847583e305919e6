import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** An S3 server in memory that checks no signatures, to measure the cost of an upload without the store. */
const [port] = process.argv.slice(2)
const objects = new Map<string, Buffer>()
const uploads = new Map<string, Map<number, Buffer>>()

createServer(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost')
  const body = await buffer(request)
  const uploadId = url.searchParams.get('uploadId')
  if (uploadId !== null) ofUpload(uploadId, url, { request, body, response })
  else if (url.searchParams.has('uploads')) begin(request, response)
  else ofObject(url.pathname, { request, body, response })
}).listen(Number(port), '127.0.0.1')

interface Call {
  request: IncomingMessage
  body: Buffer
  response: ServerResponse
}

function begin({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET') {
    xml(response, 'ListMultipartUploadsResult', '')
    return
  }
  const uploadId = randomUUID()
  uploads.set(uploadId, new Map())
  xml(response, 'InitiateMultipartUploadResult', `<UploadId>${uploadId}</UploadId>`)
}

function ofUpload(uploadId: string, url: URL, { request, body, response }: Call): void {
  const { method } = request
  const parts = uploads.get(uploadId)
  if (parts === undefined) refuse(response, 'NoSuchUpload')
  else if (method === 'PUT') {
    parts.set(Number(url.searchParams.get('partNumber')), body)
    response.writeHead(200, { etag: etagOf(body) }).end()
  } else if (method === 'GET') xml(response, 'ListPartsResult', listOf(parts))
  else {
    uploads.delete(uploadId)
    if (method === 'POST') objects.set(url.pathname, Buffer.concat([...parts.values()]))
    xml(response, 'CompleteMultipartUploadResult', `<ETag>"${uploadId}"</ETag>`)
  }
}

function listOf(parts: ReadonlyMap<number, Buffer>): string {
  const list = [...parts].map(
    ([number, bytes]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${etagOf(bytes)}</ETag><Size>${bytes.length}</Size></Part>`,
  )
  return `<IsTruncated>false</IsTruncated>${list.join('')}`
}

function ofObject(key: string, { request, body, response }: Call): void {
  const { method } = request
  if (method === 'PUT' && request.headers['if-none-match'] !== undefined && objects.has(key)) {
    refuse(response, 'PreconditionFailed', 412)
    return
  }
  if (method === 'PUT') objects.set(key, body)
  if (method === 'DELETE') objects.delete(key)
  const isBucket = key.lastIndexOf('/') === 0
  const object = isBucket ? Buffer.alloc(0) : objects.get(key)
  if (method === 'PUT') response.writeHead(200, { etag: etagOf(body) }).end()
  else if (method === 'DELETE') response.writeHead(204).end()
  else if (object === undefined) refuse(response, 'NoSuchKey')
  else
    response
      .writeHead(200, { 'content-length': object.length, etag: etagOf(object) })
      .end(method === 'GET' ? object : undefined)
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

function xml(response: ServerResponse, root: string, content: string, status = 200): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><${root}>${content}</${root}>`
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': text.length }).end(text)
}

function refuse(response: ServerResponse, code: string, status = 404): void {
  xml(response, 'Error', `<Code>${code}</Code><Message>${code}</Message>`, status)
}
