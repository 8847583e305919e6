export const serviceNames = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks'] as const

export type ServiceName = (typeof serviceNames)[number]

/** Services that answer HTTP on PORT; the others only work and are asked on their admin port. */
const httpServices: readonly ServiceName[] = ['gateway', 'auth', 'files', 'webhooks']

export const speaksHttp = (name: ServiceName) => httpServices.includes(name)
