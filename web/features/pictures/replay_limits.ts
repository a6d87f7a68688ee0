/** What a replay may take. */
export interface ReplayLimits {
  /** Milliseconds that the GPU may take for a picture. */
  readonly patience: number;
  /** MiB of textures and buffers. */
  readonly megabytes: number;
  /** Large traces are replayed without a GPU, too. */
  readonly isAnyway: boolean;
}

/** Limit for the textures and buffers of a trace, in MiB: at most, and of each GiB of the machine's memory. */
const [MEGABYTES, MEGABYTES_PER_GIB] = [512, 64] as const;

/** The limit for a machine of this many GiB, as far as the browser says so. */
export function megabytesOf(gibibytes: number | undefined): number {
  return Math.min(MEGABYTES, Math.max(MEGABYTES_PER_GIB, MEGABYTES_PER_GIB * (gibibytes ?? MEGABYTES)));
}
