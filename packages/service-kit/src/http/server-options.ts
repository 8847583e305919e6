/** Options of all our HTTP servers: the gateway must not accept a request that a service would reject. */
export const serverOptions = {
  logger: false,
  trustProxy: false,
  bodyLimit: 64 * 1024,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  forceCloseConnections: 'idle',
  return503OnClosing: false,
  // Node's own rejection has no body. `refuseBadHeaders` requires the header.
  http: { requireHostHeader: false },
  routerOptions: { maxParamLength: 512 },
} as const
