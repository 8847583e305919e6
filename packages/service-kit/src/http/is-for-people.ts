import type { FastifyRequest } from 'fastify'

/** Browsers accept HTML by name. Programs that accept any type do not. */
export function isForPeople({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(accept)
}
