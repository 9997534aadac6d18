/** Wrong on several nodes: each has logs of its own, so that one offset has different messages. */
import '../kafka.ts'
