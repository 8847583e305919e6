/** Every service responds here without a token, a log line, or a dependency: its process is responsive. */
export const alivePath = '/alive'
