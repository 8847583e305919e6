import { notFound } from '@tideport/service-kit/process/app-error'
import type { FastifyRequest } from 'fastify'

/** What a browser makes a program or a style sheet of (Fetch, request destinations). */
const destinations = new Set([
  'audioworklet',
  'paintworklet',
  'script',
  'serviceworker',
  'sharedworker',
  'style',
  'worker',
  'xslt',
])

/**
 * Responds 404 when a page of this origin loads a file as a program, whatever the page's own policy admits. A proxy that
 * decodes `..%2f` can make the address of a file look like one of the console's assets.
 */
export async function refusePrograms({ headers }: FastifyRequest): Promise<void> {
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin'
  if (isOwnPage && destinations.has(String(headers['sec-fetch-dest']))) throw notFound()
}
