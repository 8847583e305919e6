export const onConflictOption = (otherwise: 'replace' | 'fail') =>
  ({
    type: 'string',
    choices: ['keep', 'fail', 'replace'],
    summary: `If the path is taken: keep both files, fail, or move the existing file to the trash (replace); default: ${otherwise}`,
  }) as const
