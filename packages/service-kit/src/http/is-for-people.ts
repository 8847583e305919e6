import type { FastifyRequest } from 'fastify'

export function isForPeople({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(accept)
}
