/** Wrong under partitions: every message is sent to every neighbour once, and lost messages stay lost. */
import '../flood.ts'
