export const serviceNames = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks'] as const

export type ServiceName = (typeof serviceNames)[number]

/** Services that serve HTTP on PORT. The others are workers, which serve only their admin port. */
const httpServices: readonly ServiceName[] = ['gateway', 'auth', 'files', 'webhooks']

export const speaksHttp = (name: ServiceName) => httpServices.includes(name)
