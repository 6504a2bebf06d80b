
static int wrong = 0;
static char texts[5][1 << 16];
static uint32_t status[LANES + 1], killed[LANES + 1], outputs[(LANES + 1) * (OUTPUTS_COUNT + 1)][4], marked;
static uint32_t finals[(LANES + 1) * (FINALS_COUNT + 1)][4], final_masks[FINALS_COUNT + 1];
static lockstep_effect effects[1 << 12];

static lockstep_room room(int n) {
    lockstep_room empty = {NULL, sizeof texts[0], 0};
    empty.at = texts[n];
    return empty;
}

static void print(const char *what, lockstep_room from) {
    if (from.length > 0 && from.length <= from.capacity) printf("%s:\n%.*s\n", what, (int)from.length, from.at);
}

static void verdict(const char *what, uint32_t got) {
    printf("%s: verdict %u, the reference's is %u\n", what, (unsigned)got, (unsigned)VERDICT);
    wrong |= got != VERDICT;
}

/* Prints a value, with the reference's if they differ. All NaNs are equal. */
static void value(uint32_t got, uint32_t expected) {
    const int nans = (got & 0x7fffffffu) > 0x7f800000u && (expected & 0x7fffffffu) > 0x7f800000u;
    const int same = got == expected || nans;
    printf(same ? " %08x" : " %08x (not %08x)", (unsigned)got, (unsigned)expected);
    wrong |= !same;
}

static void decode(const lockstep_subject *subject, void *self) {
    lockstep_decoded decoded = {sizeof(lockstep_decoded), UINT64_MAX, {0}, {0}, {0}, {0}};
    decoded.text = room(0), decoded.encoded = room(1), decoded.instructions = room(2), decoded.message = room(3);
    verdict("decode", subject->decode(self, &PROGRAM, &decoded));
    print("message", decoded.message);
    print("text", decoded.text);
    print("instructions", decoded.instructions);
}

static void run(const lockstep_subject *subject, void *self) {
    const lockstep_environment environment = {
        sizeof(lockstep_environment), CONSTANTS, CONSTANTS_COUNT, INTS, INTS_COUNT, BOOLS, BOOLS_COUNT,
        TEXTURES, TEXTURES_COUNT, BUFFERS, BUFFERS_COUNT, LANES, ASKED, VALUES,
        INITIAL, INITIAL_COUNT, INITIAL_VALUES, FINALS, FINALS_COUNT, NULL, NULL
    };
    lockstep_batch batch = {sizeof(lockstep_batch), NULL, NULL, NULL, NULL, 0, 0, NULL, {0}, NULL, NULL};
    size_t lane, n, c;
    batch.status = status, batch.killed = killed, batch.outputs = outputs, batch.lane = &marked;
    batch.effects = effects, batch.effect_capacity = sizeof effects / sizeof effects[0], batch.message = room(4);
    batch.finals = finals, batch.final_masks = final_masks;
    verdict("run", subject->run(self, &PROGRAM, &environment, &batch));
    print("message", batch.message);
    for (lane = 0; lane < ASKED; lane++) {
        printf("lane %u: status %u, killed %u (the reference's: 1, %u)\n", (unsigned)lane, (unsigned)status[lane],
               (unsigned)killed[lane], (unsigned)KILLED[lane]);
        wrong |= status[lane] != LOCKSTEP_FINISHED || killed[lane] != KILLED[lane];
        for (n = 0; n < OUTPUTS_COUNT; n++) {
            printf("  %s", OUTPUTS[n].name);
            for (c = 0; c < 4; c++)
                if (OUTPUTS[n].mask >> c & 1) value(outputs[lane * OUTPUTS_COUNT + n][c], EXPECTED[lane * OUTPUTS_COUNT + n][c]);
            printf("\n");
        }
        for (n = 0; n < FINALS_COUNT; n++) {
            printf("  %s", FINALS[n].name);
            for (c = 0; c < 4; c++)
                if (FINAL_DEFINED[lane * FINALS_COUNT + n] >> c & final_masks[n] >> c & 1) value(finals[lane * FINALS_COUNT + n][c], FINAL_EXPECTED[lane * FINALS_COUNT + n][c]);
            printf("\n");
        }
    }
    printf("%u effects, the reference has %u\n", (unsigned)batch.effect_count, (unsigned)EFFECTS_COUNT);
    wrong |= batch.effect_count != EFFECTS_COUNT;
    /* The effects of different lanes may be interleaved, so the n-th effects of each lane are compared. */
    for (lane = 0; lane < ASKED; lane++) {
        size_t at = 0;
        for (n = 0; n < EFFECTS_COUNT; n++) {
            if (EFFECTS[n].lane != lane) continue;
            while (at < batch.effect_count && at < batch.effect_capacity && effects[at].lane != lane) at++;
            if (at >= batch.effect_count || at >= batch.effect_capacity) break;
            printf("  lane %u, kind %u, index %u:", (unsigned)lane, (unsigned)effects[at].kind, (unsigned)effects[at].index);
            wrong |= effects[at].kind != EFFECTS[n].kind || effects[at].index != EFFECTS[n].index || effects[at].mask != EFFECTS[n].mask;
            for (c = 0; c < 4; c++)
                if (EFFECTS[n].mask >> c & 1) value(effects[at].bits[c], EFFECTS[n].bits[c]);
            printf("\n");
            at++;
        }
    }
}

int main(int count, char **words) {
    void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;
    const lockstep_subject *(*described)(void) = NULL;
    const lockstep_subject *subject;
    lockstep_greeting greeting = {sizeof(lockstep_greeting), LOCKSTEP_ABI, 0, "main.c", OPTIONS, OPTIONS_COUNT, NULL, 0};
    lockstep_room message = room(3);
    void *self = NULL;
    if (library) *(void **)&described = dlsym(library, "lockstep_subject_v1");
    if (!described) {
        fprintf(stderr, "usage: again ./LIBRARY [ARGUMENT...]\n%s\n", count > 1 ? dlerror() : "");
        return 2;
    }
    subject = described();
    greeting.isa = PROGRAM.isa, greeting.arguments = (const char *const *)(words + 2), greeting.argument_count = (size_t)count - 2;
    if (subject->open && !(self = subject->open(&greeting, &message))) {
        print("it cannot be judged", message);
        return 2;
    }
    if (DECODES && subject->decode) decode(subject, self);
    if (RUNS && subject->run) run(subject, self);
    if (subject->close) subject->close(self);
    printf(wrong ? "not as the reference\n" : "as the reference\n");
    return wrong;
}
