/** The default port of the S3 API: near the port of the API, so that several systems on a machine do not collide. */
export function s3PortOf(port: number): number {
  if (port === 0) return 0
  return port > 65_531 ? port - 4 : port + 4
}
