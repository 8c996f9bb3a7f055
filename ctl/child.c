#include "ctl/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

enum { EXIT_NOT_STARTED = 127 };

/* Between fork and exec: only what is safe there. Ends by exec, or by telling errno through `failure`. */
static void become(const struct child_program *program, pid_t parent, int output, int failure)
{
    struct sigaction standard = { .sa_handler = SIG_DFL };
    sigset_t none;
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int error;

    (void)sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        (void)sigaction(number, &standard, NULL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && dup2(input, STDIN_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0) {
        if (getppid() != parent) /* it died before the kernel was asked to watch it */
            _exit(EXIT_NOT_STARTED);
        (void)execve(program->arguments[0], program->arguments, program->environment);
    }
    error = errno;
    (void)!write(failure, &error, sizeof error);
    _exit(EXIT_NOT_STARTED);
}

/* The write end closes with the exec: then nothing can be read, and all is well. */
static int wait_for_exec(int failure)
{
    int error = 0;
    ssize_t size;

    do
        size = read(failure, &error, sizeof error);
    while (size < 0 && errno == EINTR);
    return size == (ssize_t)sizeof error ? error : 0;
}

static void close_both(const int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

int child_start(struct child *child, const struct child_program *program)
{
    int output[2];
    int failure[2];
    pid_t parent = getpid();
    int error;

    *child = (struct child){ .output = -1 };
    if (pipe2(output, O_CLOEXEC) != 0)
        return -1;
    if (fcntl(output[0], F_SETFL, O_NONBLOCK) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
        close_both(output);
        return -1;
    }
    child->pid = fork();
    if (child->pid == 0)
        become(program, parent, output[1], failure[1]);
    error = child->pid < 0 ? errno : 0;
    close(output[1]);
    close(failure[1]);
    if (error == 0)
        error = wait_for_exec(failure[0]);
    close(failure[0]);
    if (error != 0) {
        close(output[0]);
        if (child->pid > 0)
            (void)waitpid(child->pid, NULL, 0);
        child->pid = 0;
        errno = error;
        return -1;
    }
    child->output = output[0];
    return 0;
}

void child_signal(const struct child *child, int signal)
{
    if (child->pid > 0)
        (void)kill(child->pid, signal);
}

bool child_ended(struct child *child, int *status)
{
    siginfo_t info = { 0 };

    if (child->pid == 0)
        return false;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    /* As long as it has not been waited for, no other process group can have its number. */
    (void)kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, status, 0) < 0)
        assert(errno == EINTR);
    child->pid = 0;
    return true;
}

void child_close_output(struct child *child)
{
    if (child->output >= 0)
        close(child->output);
    child->output = -1;
}

char *child_describe(int status, char text[CHILD_STATUS_SIZE])
{
    if (WIFSIGNALED(status))
        (void)snprintf(text, CHILD_STATUS_SIZE, "signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    else
        (void)snprintf(text, CHILD_STATUS_SIZE, "exit status %d", WEXITSTATUS(status));
    return text;
}

/* ---- to the end */

/* Takes what can be read; what does not fit is forgotten. False: nothing will come any more. */
static bool take_output(const struct child *child, char *output, size_t room, size_t *taken)
{
    char chunk[4096];
    ssize_t size;

    while ((size = read(child->output, chunk, sizeof chunk)) > 0) {
        size_t fits = (size_t)size < room - *taken ? (size_t)size : room - *taken;

        memcpy(output + *taken, chunk, fits);
        *taken += fits;
    }
    return size < 0 && (errno == EAGAIN || errno == EINTR);
}

int child_run(const struct child_program *program, unsigned timeout_ms, char *output, size_t size)
{
    uint64_t until_ms = clock_ms() + timeout_ms;
    struct child child;
    struct pollfd readable = { .events = POLLIN };
    size_t taken = 0;
    int status = 0;
    bool in_time = true;

    if (child_start(&child, program) != 0)
        return -1;
    readable.fd = child.output;
    while (!child_ended(&child, &status)) {
        if (clock_ms() >= until_ms) {
            in_time = false;
            (void)kill(-child.pid, SIGKILL);
        }
        (void)poll(&readable, 1, 10);
        if (readable.fd >= 0 && !take_output(&child, output, size - 1, &taken))
            readable.fd = -1; /* poll leaves it out */
    }
    (void)take_output(&child, output, size - 1, &taken);
    child_close_output(&child);
    output[taken] = '\0';
    errno = ETIMEDOUT;
    return in_time ? status : -1;
}
