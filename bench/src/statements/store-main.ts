import { createServer, type IncomingMessage } from 'node:http'

/** An S3 that keeps no bytes and checks nothing: what an upload in one PUT asks of its store, as cheap as Node can. */
const [port] = process.argv.slice(2)
const uploads = new Map<string, number>()
const objects = new Map<string, number>()
const ETAG = '"0123456789abcdef0123456789abcdef"'
let begun = 0

interface Answer {
  status: number
  headers?: Record<string, string | number>
  xml?: string
}

function answer(request: IncomingMessage, sizeBytes: number): Answer {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://store')
  const uploadId = query.get('uploadId') ?? ''
  if (query.has('uploads')) {
    begun += 1
    return { status: 200, xml: `<InitiateMultipartUploadResult><UploadId>u${begun}</UploadId></InitiateMultipartUploadResult>` } // biome-ignore format: one document
  }
  if (request.method === 'PUT') {
    uploads.set(uploadId, sizeBytes)
    return { status: 200, headers: { etag: ETAG } }
  }
  if (request.method === 'GET') {
    const part = `<Part><PartNumber>1</PartNumber><ETag>${ETAG}</ETag><Size>${uploads.get(uploadId)}</Size></Part>`
    return { status: 200, xml: `<ListPartsResult>${uploads.has(uploadId) ? part : ''}</ListPartsResult>` }
  }
  if (request.method === 'POST') {
    objects.set(pathname, uploads.get(uploadId) ?? 0)
    uploads.delete(uploadId)
    return { status: 200, xml: `<CompleteMultipartUploadResult><ETag>${ETAG}</ETag></CompleteMultipartUploadResult>` }
  }
  const size = objects.get(pathname)
  if (size === undefined) return { status: pathname.split('/').length > 2 ? 404 : 200 }
  objects.delete(pathname)
  return { status: 200, headers: { 'content-length': size, etag: ETAG } }
}

createServer((request, response) => {
  let sizeBytes = 0
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
  })
  request.once('end', () => {
    const { status, headers = {}, xml = '' } = answer(request, sizeBytes)
    response.writeHead(status, { 'content-type': 'application/xml', 'content-length': xml.length, ...headers }).end(xml)
  })
}).listen(Number(port), '127.0.0.1')
