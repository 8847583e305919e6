import { Readable } from 'node:stream'
import { S3Error } from '../errors.ts'
import { type FormFields, missingField } from '../signature/policy-claim.ts'
import { ByteReader } from './byte-reader.ts'
import { decodeFile } from './form-file.ts'
import { readPartHeaders } from './form-part.ts'

/** The limit of S3 for everything before the file. */
const MAX_FIELDS_BYTES = 20_480

/** Up to this size the file is read ahead, so that its size is known even if other fields follow. */
const MAX_READ_AHEAD_BYTES = 1_048_576

export interface Form {
  /** By lower-case names. Values of `x-amz-meta-` fields that repeat are joined. */
  fields: FormFields
  /** Without a folder. */
  fileName: string
  contentType: string | undefined
  /** Begins to read the file, which should wait until the form is known to be permitted. To be called once. */
  openFile(): Promise<FormFile>
}

export interface FormFile {
  sizeBytes: number
  /** To be read once. It throws before its last bytes unless the file has the stated size. */
  bytes: AsyncIterable<Buffer>
}

/** Reads a POST form up to its file. Ignores what follows the file. Never destroys a source. */
export async function readForm(
  body: Readable | AsyncIterable<Buffer>,
  { contentType, contentLength }: { contentType: string | undefined; contentLength: number | undefined },
): Promise<Form> {
  const boundary = readBoundary(contentType)
  if (contentLength === undefined) throw new S3Error('MissingContentLength')
  const reader = new ByteReader(body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body)
  if ((await line(reader, MAX_FIELDS_BYTES)) !== `--${boundary}`) throw malformed()
  const fields = new Map<string, string>()
  for (;;) {
    const { name, filename, contentType: type } = await readPartHeaders(() => line(reader, left(reader)))
    if (name === 'file' || filename !== undefined) {
      const openFile = () => readFile(reader, boundary, contentLength)
      return { fields, fileName: baseName(filename ?? ''), contentType: type, openFile }
    }
    const value = await readValue(reader, boundary)
    const before = name.startsWith('x-amz-meta-') ? fields.get(name) : undefined
    fields.set(name, before === undefined ? value : `${before},${value}`)
  }
}

/** The key that a form stores its file under. */
export function keyOfForm({ fields, fileName }: Form): string {
  const key = fields.get('key')
  if (key === undefined || key === '') throw missingField('key')
  return key.replaceAll(/\$\{filename\}/g, () => fileName)
}

async function readFile(reader: ByteReader, boundary: string, contentLength: number): Promise<FormFile> {
  const remaining = contentLength - reader.taken
  const file = decodeFile(reader, boundary)
  if (remaining > MAX_READ_AHEAD_BYTES) {
    const sizeBytes = remaining - Buffer.byteLength(`\r\n--${boundary}--\r\n`, 'latin1')
    return { sizeBytes, bytes: ofSize(file, sizeBytes) }
  }
  const chunks: Buffer[] = []
  for await (const chunk of file) chunks.push(Buffer.from(chunk))
  const bytes = Readable.from(chunks)
  return { sizeBytes: chunks.reduce((total, chunk) => total + chunk.length, 0), bytes }
}

async function* ofSize(bytes: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  let left = sizeBytes
  let last: Buffer | undefined
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) throw malformed()
    if (last !== undefined) yield last
    last = chunk
  }
  if (left > 0) throw malformed()
  if (last !== undefined) yield last
}

async function readValue(reader: ByteReader, boundary: string): Promise<string> {
  const lines: string[] = []
  for (;;) {
    const next = await line(reader, left(reader))
    if (next === `--${boundary}`) return Buffer.from(lines.join('\r\n'), 'latin1').toString('utf8')
    if (next === `--${boundary}--`) {
      const message = 'POST requires exactly one file upload per request.'
      throw new S3Error('InvalidArgument', message, { ArgumentName: 'file', ArgumentValue: '0' })
    }
    lines.push(next)
  }
}

function left(reader: ByteReader): number {
  const bytes = MAX_FIELDS_BYTES - reader.taken
  if (bytes > 0) return bytes
  throw new S3Error('MaxPostPreDataLengthExceededError')
}

async function line(reader: ByteReader, max: number): Promise<string> {
  try {
    return await reader.line(max)
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    throw (await reader.isAtEnd()) ? malformed() : new S3Error('MaxPostPreDataLengthExceededError')
  }
}

function readBoundary(contentType: string | undefined): string {
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  if (type.trim().toLowerCase() !== 'multipart/form-data') {
    const condition = 'Bucket POST must be of the enclosure-type multipart/form-data'
    throw new S3Error('PreconditionFailed', undefined, { Condition: condition })
  }
  const boundary = parameters.map((one) => /^\s*boundary=(?:"([^"]+)"|([^\s"]+))\s*$/i.exec(one)).find(Boolean)
  const value = boundary?.[1] ?? boundary?.[2]
  if (value === undefined || value.length > 200) throw malformed()
  return value
}

/** Old browsers send the folder. */
const baseName = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

const malformed = () => new S3Error('MalformedPOSTRequest')
