import { checkLinkedContent, contentLengthHeader } from '@tideport/contracts/internal/api'
import { serve } from '@tideport/service-kit/http/route'
import type { ContentLimits } from '../content/check-request.ts'
import { passwordRequired, type VisitDeps, visitOf } from '../links/open-visit.ts'
import { FORM_BYTES, mostBytesOf, tooLargeForLink } from '../links/receive-file.ts'

/** Whether an upload by a link would be taken, before any of its bytes are read. */
export function checkLinkedContentRoute({ limits, ...deps }: VisitDeps & { limits: ContentLimits }) {
  return serve(checkLinkedContent, async ({ params: { token }, headers, request, reply }) => {
    const { link, isLocked } = await visitOf(deps, token, { request, reply })
    const maxBytes = mostBytesOf(link, limits)
    if (isLocked) throw passwordRequired()
    if (Number(headers[contentLengthHeader] ?? 0) > maxBytes + FORM_BYTES) throw tooLargeForLink(maxBytes)
    return {}
  })
}
