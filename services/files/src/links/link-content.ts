import { linkContent, linkedContent } from '@tideport/contracts/public/link-access'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { findFileOf } from './find-link.ts'
import { openVisit, passwordRequired } from './open-visit.ts'
import { type LinkedBytesDeps, sendLinkedBytes } from './send-linked-bytes.ts'

type Input = Pick<RouteInput<typeof linkContent>, 'params' | 'query' | 'request' | 'reply'>

export function linkContentRoute(deps: LinkedBytesDeps) {
  return serve(linkContent, (input) => send(deps, input, null))
}

export function linkedContentRoute(deps: LinkedBytesDeps) {
  return serve(linkedContent, (input) => send(deps, input, input.params.path))
}

function send(deps: LinkedBytesDeps, { params: { token }, query, request, reply }: Input, path: string | null) {
  return openVisit(deps, token, { request, reply }, async (visit) => {
    if (visit.isLocked) {
      if (!isForPeople(request)) throw passwordRequired()
      const up = '../'.repeat(path === null ? 1 : depthOf(request.url))
      return reply.code(303).header('location', `${up}${token}`).send()
    }
    const found = await findFileOf(deps.db, visit.link, path)
    if (found === null) throw notFound()
    return await sendLinkedBytes(
      deps,
      visit,
      { token, found, isPreview: query.preview !== undefined },
      { request, reply },
    )
  })
}

function depthOf(url: string): number {
  const [path = ''] = url.split('?')
  return path.split('/').length - 3
}
