/** A span as received by a collector. IDs are hex; `parentSpanId` is '' for the root span. */
export interface CollectedSpan {
  service: string
  name: string
  /** OTLP span kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  isError: boolean
}

/** Decodes the protobuf body of an OTLP `ExportTraceServiceRequest`. Field numbers are those of its .proto files. */
export function decodeSpans(body: Buffer): CollectedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1).flatMap((one) => messages(one, 1)))
    const spans = messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2))
    return spans.map((span) => toSpan(span, String(resource['service.name'])))
  })
}

function toSpan(span: Fields, service: string): CollectedSpan {
  const [status] = messages(span, 15)
  return {
    service,
    name: text(span, 5),
    kind: Number(span.get(6)?.[0] ?? 0),
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    attributes: attributesOf(messages(span, 9)),
    links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    isError: Number(status?.get(3)?.[0] ?? 0) === 2,
  }
}

function attributesOf(pairs: Fields[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map((pair) => [text(pair, 1), anyValue(messages(pair, 2)[0])]))
}

function anyValue(value: Fields | undefined): unknown {
  if (value?.has(1)) return text(value, 1)
  if (value?.has(2)) return value.get(2)?.[0] === 1n
  if (value?.has(3)) return Number(value.get(3)?.[0])
  return (value?.get(4)?.[0] as Buffer | undefined)?.readDoubleLE()
}

type Fields = Map<number, (bigint | Buffer)[]>

const messages = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).map((value) => fieldsOf(value as Buffer))
const hex = (fields: Fields, field: number): string =>
  (fields.get(field)?.[0] as Buffer | undefined)?.toString('hex') ?? ''
const text = (fields: Fields, field: number): string => (fields.get(field)?.[0] as Buffer | undefined)?.toString() ?? ''

/** Decodes the wire format: varints as numbers, all other values as bytes. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const kind = tag & 7
    const field = tag >> 3
    const value = kind === 0 ? varint() : take(kind === 2 ? Number(varint()) : kind === 1 ? 8 : 4)
    const known = fields.get(field) ?? []
    fields.set(field, [...known, value])
  }
  return fields
}
