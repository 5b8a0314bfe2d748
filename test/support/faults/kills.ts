/** Kills at each point, and runs of each fault; a release needs 20. */
export const KILLS = Number(process.env['KILLS'] ?? 2)
