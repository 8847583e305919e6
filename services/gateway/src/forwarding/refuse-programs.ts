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

/** 404 when a page of this origin loads a file as a program: a proxy that decodes `..%2f` can disguise it as an asset. */
export async function refusePrograms({ headers }: FastifyRequest): Promise<void> {
  const isOwnPage = headers['sec-fetch-site'] === 'same-origin'
  if (isOwnPage && destinations.has(String(headers['sec-fetch-dest']))) throw notFound()
}
