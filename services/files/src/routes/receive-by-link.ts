import { createHash } from 'node:crypto'
import { clientAddressHeader } from '@tideport/contracts/internal/client-address'
import { postLinkContent, putLinkedContent } from '@tideport/contracts/public/link-access'
import { toErrorReply } from '@tideport/service-kit/http/error-reply'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Content } from '../content/read-content.ts'
import { uploadPage } from '../link-pages/upload-page.ts'
import { boundaryOf, type FormFile, firstFile } from '../links/form-file.ts'
import { toReceiving } from '../links/link-views.ts'
import { isForJson, openVisit, passwordRequired, sendPage, type Visit, visitOf } from '../links/open-visit.ts'
import {
  FORM_BYTES,
  mostBytesOf,
  type ReceiveDeps,
  receiveFile,
  tooLargeForLink,
  withBody,
} from '../links/receive-file.ts'

const DEFAULT_TYPE = 'application/octet-stream'

/** `PUT /s/:token/content/*path`: one call with the bytes as its body. */
export function putLinkedContentRoute(deps: ReceiveDeps) {
  return serve(putLinkedContent, async ({ params: { token, path }, request, reply }) => {
    const { link, isLocked } = await visitOf(deps, token, { request, reply })
    const maxBytes = mostBytesOf(link, deps.limits)
    if (isLocked) throw passwordRequired()
    const bounds = { maxBytes, tooLarge: () => tooLargeForLink(maxBytes) }
    return await withBody(deps, link, request.raw, bounds, async (content) => {
      const mimeType = request.headers['content-type'] ?? DEFAULT_TYPE
      const { name } = await receiveFile(deps, link, { name: path, mimeType, content, ...from(request) })
      return toReceived(name, content)
    })
  })
}

/** `POST /s/:token/content`: the form of the page, which people get again with what came of it. */
export function postLinkContentRoute(deps: ReceiveDeps) {
  return serve(postLinkContent, ({ params: { token }, request, reply }) =>
    openVisit(deps, token, { request, reply }, async (visit) => {
      const maxBytes = mostBytesOf(visit.link, deps.limits)
      if (visit.isLocked) throw passwordRequired()
      try {
        const received = await receiveForm(deps, visit, request, maxBytes)
        if (!isForJson(request)) return sendPage(reply, pageAfter(visit, token, { received }))
        const body = JSON.stringify(postLinkContent.success.orJson.parse(received))
        return reply.type('application/json; charset=utf-8').send(body)
      } catch (error) {
        const isTold = error instanceof AppError && error.code !== 'not_found' && isForPeople(request)
        if (!isTold) throw error
        const { status, headers } = toErrorReply(error)
        return sendPage(reply.code(status).headers(headers), pageAfter(visit, token, { problem: error.message }))
      }
    }),
  )
}

async function receiveForm(deps: ReceiveDeps, { link }: Visit, request: RouteInput['request'], maxBytes: number) {
  const boundary = boundaryOf(request.headers['content-type'])
  if (boundary === null) throw noForm()
  const bounds = { maxBytes: maxBytes + FORM_BYTES, tooLarge: () => tooLargeForLink(maxBytes) }
  return await withBody(deps, link, request.raw, bounds, async (body, grow) => {
    grow(body.sizeBytes)
    const file = firstFile(Buffer.concat(body.pieces), boundary)
    if (file === null) throw noFile()
    const content = contentOf(file)
    if (content.sizeBytes > maxBytes) throw tooLargeForLink(maxBytes)
    const { name } = await receiveFile(deps, link, { ...file, content, ...from(request) })
    return toReceived(name, content)
  })
}

type Received = ReturnType<typeof toReceived>

function pageAfter({ link }: Visit, token: string, came: { received: Received } | { problem: string }): string {
  const sizeBytes = 'received' in came ? came.received.sizeBytes : 0
  const after = { ...link, files: link.files + Number('received' in came), bytes: link.bytes + sizeBytes }
  const { takes, ...opened } = toReceiving(after)
  const none = { filesLeft: 0, maxFileBytes: 0, mimeTypes: null, received: 'review' as const }
  return uploadPage({ ...opened, takes: takes ?? none, token, received: null, ...came, up: '../' })
}

function toReceived(name: string, { sizeBytes, sha256 }: Content) {
  return { name, sizeBytes, checksumSha256: sha256 }
}

function contentOf({ bytes }: FormFile): Content {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { pieces: bytes.length === 0 ? [] : [bytes], sizeBytes: bytes.length, sha256 }
}

function from({ headers }: RouteInput['request']) {
  return { clientAddress: headers[clientAddressHeader]?.toString() ?? null }
}

const noForm = () => new AppError('unsupported_media_type', 'The body must be multipart/form-data')
const noFile = () => new AppError('validation_failed', 'The form has no file')
